package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.mock.env.MockEnvironment;

class LocalDatabaseTest {

    private final List<String> started = new ArrayList<>();
    private final MockEnvironment environment = new MockEnvironment()
            .withProperty("sample.dynamodb-local.port", "8600")
            .withProperty("sample.dynamodb-local.idle-timeout", "60s");

    @Test
    void startsOnThePortOfTheProperties() {
        prepare(this::start);
        assertThat(started).containsExactly("8600 for PT1M");
    }

    @Test
    void startsNothingOnAws() {
        environment.setActiveProfiles("aws");
        prepare(this::start);
        assertThat(started).isEmpty();
    }

    @Test
    void startsNothingWhereAnotherServerIsNamed() {
        environment.setProperty("leasekit.dynamodb.endpoint", "http://127.0.0.1:4567");
        prepare(this::start);
        assertThat(started).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"http://127.0.0.1:4567, http://127.0.0.1:4567", ", http://127.0.0.1:8600"})
    void theLeasesUseTheServerThatIsNamed(String other, String used) throws IOException {
        StandardEnvironment sample = new StandardEnvironment();
        Map<String, Object> given = other == null ? Map.of() : Map.of("leasekit.dynamodb.endpoint", other);
        sample.getPropertySources().addFirst(new MapPropertySource("given", given));
        new YamlPropertySourceLoader()
                .load("sample", new ClassPathResource("application.yaml"))
                .forEach(sample.getPropertySources()::addLast);

        assertThat(sample.getProperty("lease.dynamodb.endpoint")).isEqualTo(used);
    }

    @Test
    void failureNamesThePropertyToChange() {
        assertThatIllegalStateException()
                .isThrownBy(() -> prepare((port, idleTimeout) -> {
                    throw new IllegalStateException("something else has the port");
                }))
                .withMessage("DynamoDB Local is not available on port 8600;"
                        + " set 'sample.dynamodb-local.port' to use a different port")
                .withStackTraceContaining("something else has the port");
    }

    private void prepare(BiFunction<Integer, Duration, URI> starter) {
        environment.setConversionService(new ApplicationConversionService());
        new LocalDatabase(Supplier::get, starter).postProcessEnvironment(environment, new SpringApplication());
    }

    private URI start(int port, Duration idleTimeout) {
        started.add(port + " for " + idleTimeout);
        return URI.create("http://127.0.0.1:" + port);
    }
}
