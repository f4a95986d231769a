package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the page need nothing that its policy forbids, and show text as text. */
class ConsoleSourcesTest {

    private static final Path FILES = Path.of("src/main/resources/io/leasekit/console");

    private static List<String> read(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(FILES)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .map(ConsoleSourcesTest::read)
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void thePageHasNoScriptAndNoStyleOfItsOwn() throws IOException {
        assertThat(read(".html"))
                .singleElement()
                .asString()
                .doesNotContainPattern("<script(?![^>]* src=)")
                .doesNotContainPattern("<style|\\sstyle=|\\son[a-z]+=|https?:");
    }

    @Test
    void scriptsNeverReadTextAsMarkupOrCode() throws IOException {
        assertThat(read(".js"))
                .hasSizeGreaterThan(4)
                .allSatisfy(script -> assertThat(script)
                        .doesNotContainPattern("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\b"
                                + "|new Function|srcdoc|DOMParser|https?:"));
    }

    @Test
    void nothingIsLoadedFromElsewhere() throws IOException {
        assertThat(read(".css")).singleElement().asString().doesNotContain("@import", "url(");
    }
}
