package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/** These classes are run on several versions of Spring Boot; the build says on which. */
class BootVersionTest {

    @Test
    void itIsTheVersionThatTheBuildNames() {
        String version = SpringBootVersion.getVersion();
        assertThat(version).isEqualTo(System.getProperty("leasekit.boot.version", version));
    }
}
