package io.leasekit.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReadmeTest {

    private static final Path README = Path.of("..", "README.md");
    private static final Path EXAMPLES = Path.of("src/test/java/io/leasekit/readme/ReadmeExamples.java");
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern REGION = Pattern.compile("\n *// [a-z]+\n(.*?)\n *// end\n", Pattern.DOTALL);

    @Test
    void theJavaExamplesAreThoseThatAreCompiled() throws IOException {
        List<String> regions = blocks(EXAMPLES, REGION);

        assertThat(blocks(README, SNIPPET)).isNotEmpty().containsExactlyElementsOf(regions);
    }

    private static List<String> blocks(Path file, Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map(match -> match.group(1).stripIndent())
                .toList();
    }
}
