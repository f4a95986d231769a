package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tests that pages name as {@code `Class#method`}. */
final class NamedTests {

    private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");

    private NamedTests() {}

    /** Returns whether this part of a page names a test. */
    static boolean isIn(String text) {
        return NAMED.matcher(text).find();
    }

    /** Asserts that the page names more than {@code atLeast} tests, and that each of them exists. */
    static void assertExist(String page, int atLeast) {
        Map<String, String> sources = sources();

        assertThat(NAMED.matcher(page).results())
                .hasSizeGreaterThan(atLeast)
                .allSatisfy(test -> assertThat(sources.getOrDefault(test.group(1), ""))
                        .as(test.group())
                        .containsPattern("\\b(void|fun) " + test.group(2) + "\\("));
    }

    private static Map<String, String> sources() {
        try (Stream<Path> files = Files.walk(DocumentPages.ROOT)) {
            return files.filter(file -> file.toString()
                            .replace('\\', '/')
                            .matches(".*/src/(test|simulation|browser)/(java|kotlin)/.*(Test|IT)\\.(java|kt)"))
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString().replaceAll("\\.(java|kt)$", ""),
                            DocumentPages::read,
                            (one, other) -> one + other)); // the same name in two packages
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
