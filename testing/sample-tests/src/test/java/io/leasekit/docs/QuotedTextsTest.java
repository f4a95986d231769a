package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The log lines and error texts quoted in pages are in the code. */
class QuotedTextsTest {

    private static final Pattern LOG_ROW = Pattern.compile("(?m)^\\| (?:WARN|INFO|ERROR) \\| `([^`]+)` \\|");
    private static final Pattern QUOTE = Pattern.compile("(?m)^> `([^`]+)`$");

    @ParameterizedTest
    @CsvSource({"operations.md, 8", "troubleshooting.md, 15"})
    void aQuotedTextStandsInTheCode(String page, int atLeast) throws IOException {
        String code = code();

        assertThat(quoted(page))
                .hasSizeGreaterThanOrEqualTo(atLeast)
                .allSatisfy(text -> assertThat(text.split("…"))
                        .allSatisfy(part -> assertThat(code).contains(part)));
    }

    private static List<String> quoted(String page) {
        String text = DocumentPages.read(DocumentPages.DOCS.resolve(page));
        List<String> quoted = new ArrayList<>();
        for (Pattern pattern : List.of(LOG_ROW, QUOTE)) {
            pattern.matcher(text).results().forEach(match -> quoted.add(match.group(1)));
        }
        return quoted;
    }

    /** Returns the main code of the published modules, with concatenated string literals joined. */
    private static String code() throws IOException {
        StringBuilder code = new StringBuilder();
        for (String module : List.of("lease-core", "lease-spring-boot-starter")) {
            try (Stream<Path> files =
                    Files.walk(DocumentPages.ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(DocumentPages::read)
                        .forEach(code::append);
            }
        }
        return code.toString().replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\"");
    }
}
