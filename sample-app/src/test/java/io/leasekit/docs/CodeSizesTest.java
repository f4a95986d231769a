package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Main code stays readable: no file is longer than 300 lines, and nearly all have fewer than 250. */
class CodeSizesTest {

    private static Map<Path, Long> linesOfMainCode() throws IOException {
        Map<Path, Long> lines = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file : files.filter(CodeSizesTest::isMainCode).toList()) {
                try (Stream<String> read = Files.lines(file)) {
                    lines.put(file, read.count());
                }
            }
        }
        return lines;
    }

    private static boolean isMainCode(Path file) {
        String path = file.toString().replace('\\', '/');
        return path.endsWith(".java") && path.contains("/src/main/java/");
    }

    @Test
    void noFileIsLongerThan300Lines() throws IOException {
        assertThat(linesOfMainCode())
                .hasSizeGreaterThan(200)
                .allSatisfy(
                        (file, lines) -> assertThat(lines).as(file.toString()).isLessThanOrEqualTo(300));
    }

    @Test
    void nearlyAllFilesHaveFewerThan250Lines() throws IOException {
        Map<Path, Long> all = linesOfMainCode();

        assertThat(all.values().stream().filter(lines -> lines >= 250).count()).isLessThanOrEqualTo(all.size() / 20);
    }
}
