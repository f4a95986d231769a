package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each test that docs/neighbours.md names exists, and each scenario has one or is meant to be otherwise. */
class NeighboursTest {

    private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");
    private static final String PAGE = DocumentPages.read(DocumentPages.DOCS.resolve("neighbours.md"));

    @Test
    void everyNamedTestExists() throws IOException {
        Map<String, String> sources = testSources();

        assertThat(NAMED.matcher(PAGE).results())
                .hasSizeGreaterThan(100)
                .allSatisfy(test -> assertThat(sources.getOrDefault(test.group(1), ""))
                        .as(test.group())
                        .containsPattern("\\bvoid " + test.group(2) + "\\("));
    }

    @Test
    void aScenarioWithoutATestSaysWhy() {
        List<String> rows = PAGE.lines().filter(line -> line.startsWith("| ")).toList();

        assertThat(rows).hasSizeGreaterThan(100).allSatisfy(row -> {
            String[] columns = row.split("\\|");
            assertThat(columns).hasSize(4);
            if (!row.equals("| Scenario | Our test | Result |")
                    && !NAMED.matcher(columns[2]).find()) {
                assertThat(columns[3].strip()).matches("otherwise: .+|not written: .+");
            }
        });
    }

    private static Map<String, String> testSources() throws IOException {
        try (Stream<Path> files = Files.walk(DocumentPages.ROOT)) {
            return files.filter(
                            file -> file.toString().replace('\\', '/').matches(".*/src/test/java/.*(Test|IT)\\.java"))
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString().replace(".java", ""),
                            DocumentPages::read,
                            (one, other) -> one + other)); // the same name in two packages
        }
    }
}
