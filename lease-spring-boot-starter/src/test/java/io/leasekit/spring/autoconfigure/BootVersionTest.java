package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/** Checks that these tests run on the version of Spring Boot that the build selects. */
@Tag("boot3")
class BootVersionTest {

    @Test
    void itIsTheVersionThatTheBuildNames() {
        String version = SpringBootVersion.getVersion();
        assertThat(version).isEqualTo(System.getProperty("leasekit.boot.version", version));
    }
}
