package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java block of a page is compiled, as a region between two comments in one of the page's files of examples. */
class CompiledExamplesTest {

    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern REGION = Pattern.compile("\n *// [a-z]+\n(.*?)\n *// end\n", Pattern.DOTALL);

    static Stream<Path> pages() {
        return DocumentPages.all().stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theJavaExamplesOfAPageAreThoseThatAreCompiled(Path page) {
        List<String> compiled = DocumentPages.examples().stream()
                .filter(file -> DocumentPages.pageOf(file).equals(page))
                .flatMap(file -> blocks(file, REGION))
                .toList();

        assertThat(blocks(page, SNIPPET)).containsExactlyInAnyOrderElementsOf(compiled);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void noJavaExampleIsWrittenSoThatItIsNotFound(Path page) {
        assertThat(DocumentPages.read(page).lines().filter(line -> line.contains("```java")))
                .as("each block begins with a line of its own, not indented")
                .allMatch(line -> line.equals("```java"));
    }

    @Test
    void theSampleAnswersWebRequestsAsItsPageSays() {
        Path sample = DocumentPages.ROOT.resolve("sample-app/src/main/java/io/leasekit/sample/LeaseProblems.java");

        assertThat(DocumentPages.examples().stream()
                        .filter(file -> file.endsWith("WebExamples.java"))
                        .flatMap(file -> blocks(file, REGION)))
                .singleElement()
                .satisfies(example -> assertThat(DocumentPages.read(sample)).endsWith(example + "\n"));
    }

    @Test
    void everyFileOfExamplesBelongsToAPageAndHasSome() {
        assertThat(DocumentPages.examples())
                .isNotEmpty()
                .allSatisfy(file -> assertThat(pages()).contains(DocumentPages.pageOf(file)))
                .allSatisfy(file -> assertThat(blocks(file, REGION)).isNotEmpty());
    }

    private static Stream<String> blocks(Path file, Pattern pattern) {
        return pattern.matcher(DocumentPages.read(file))
                .results()
                .map(match -> match.group(1).stripIndent());
    }
}
