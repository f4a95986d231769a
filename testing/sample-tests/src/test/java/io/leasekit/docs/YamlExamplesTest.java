package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The YAML blocks of all pages can be parsed, and those for Spring Boot name properties that exist. */
class YamlExamplesTest {

    private static final KnownProperties KNOWN = new KnownProperties();
    private static final Set<String> SPRING_BOOT = Set.of("lease", "management", "server", "spring");

    static Stream<Path> pages() {
        return DocumentPages.all().stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void thePropertiesOfAPageExist(Path page) {
        assertThat(YamlBlocks.of(page).stream()
                        .flatMap(block -> YamlBlocks.properties(block).keySet().stream())
                        .filter(name -> SPRING_BOOT.contains(name.split("\\.")[0])))
                .allMatch(KNOWN::has, "is a property");
    }

    @Test
    void aPropertyThatDoesNotExistIsFound() {
        assertThat(KNOWN.has("lease.key-prefix")).isTrue();
        assertThat(KNOWN.has("lease.key-prefixes")).isFalse();
        assertThat(KNOWN.has("management.metrics.enable.lease.wait")).isTrue();
        assertThat(KNOWN.has("spring.lifecycle.timeout")).isFalse();
    }
}
