package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands of README, and the tests that CONTRIBUTING.md names for its promises. */
class ContributingTest {

    private static final Pattern CODE = Pattern.compile("`(\\w+(?:Test|IT))`");

    @Test
    void readmeHasItsTwoCommands() {
        String readme = DocumentPages.read(DocumentPages.ROOT.resolve("README.md"));

        assertThat(readme)
                .contains("## Try it", "\n```\n./mvnw -Dmaven.test.skip -pl sample-app -am spring-boot:run\n```\n")
                .contains("## Test it", "\n```\n./mvnw verify\n```\n", "`./mvnw verify -Pfull` runs all tests");
    }

    static List<String> testsOfPromises() {
        String contributing = DocumentPages.read(DocumentPages.ROOT.resolve("CONTRIBUTING.md"));
        String promises = contributing.substring(contributing.indexOf("## The promises"));
        return CODE.matcher(promises)
                .results()
                .map((MatchResult name) -> name.group(1))
                .distinct()
                .toList();
    }

    /** A class may have single methods that the gate leaves out. */
    @ParameterizedTest
    @MethodSource("testsOfPromises")
    void theGateRunsTheTestsOfAPromise(String name) {
        assertThat(sources(name))
                .singleElement()
                .satisfies(source ->
                        assertThat(DocumentPages.read(source)).doesNotContainPattern("(?m)^@Tag\\(\"full\"\\)"));
    }

    private static Stream<Path> sources(String name) {
        return Poms.texts(Poms.pom("."), "module")
                .map(module -> DocumentPages.ROOT.resolve(module).resolve("src"))
                .filter(folder -> folder.toFile().isDirectory())
                .flatMap(DocumentPages::walk)
                .filter(source -> source.endsWith(name + ".java"));
    }
}
