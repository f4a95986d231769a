package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.actuate.LeasesEndpoint;
import io.leasekit.spring.actuate.NextRuns;
import io.leasekit.spring.actuate.SecretsSanitizer;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

/** Conditions of the endpoint, of the check behind the health indicator, and of the sanitizing. */
@Tag("boot3")
class LeaseActuatorAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LeaseAutoConfiguration.class,
                    LeaseHealthCheckAutoConfiguration.class,
                    LeaseEndpointAutoConfiguration.class,
                    LeaseSanitizingAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class)
            .withPropertyValues("management.endpoints.web.exposure.include=leases");

    @Test
    void allAreThere() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(LeaseHealthCheck.class)
                .hasSingleBean(LeasesEndpoint.class)
                .hasSingleBean(SecretsSanitizer.class));
    }

    @Test
    void eachGoesWithItsClass() {
        runner.withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("leasesEndpoint")
                        .hasSingleBean(SecretsSanitizer.class));
        runner.withClassLoader(new FilteredClassLoader(SanitizingFunction.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(LeasesEndpoint.class)
                        .doesNotHaveBean("leaseSecretsSanitizer"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE", "off", "Off", "no", "0", " false "})
    void whereLeasesAreSwitchedOffTheHealthSaysSoAndSecretsAreStillKept(String off) {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("switch", Map.of("lease.enabled", off))))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(SecretsSanitizer.class);
                    assertThat(ExposedEndpoints.web(context)).isEmpty();
                    assertThat(context.getBean(LeaseHealthCheck.class).check())
                            .isEqualTo(new LeaseHealthCheck.Result(true, Map.of("enabled", false)));
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE", "on", "yes", "1"})
    void whereLeasesAreSwitchedOnAllAreThere(String on) {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("switch", Map.of("lease.enabled", on))))
                .run(context -> assertThat(ExposedEndpoints.web(context)).containsExactly("leases"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"perhaps", "2", ""})
    void anUnreadableSwitchStopsTheStartWithItsName(String value) {
        runner.withPropertyValues("lease.enabled=" + value)
                .run(context -> assertThat(
                                Stream.iterate(context.getStartupFailure(), Objects::nonNull, Throwable::getCause)
                                        .map(Throwable::getMessage))
                        .anySatisfy(message -> assertThat(message).contains("'lease.enabled'")));
    }

    @Test
    void anEndpointThatIsNotExposedIsAbsent() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LeasesEndpoint.class));
        runner.withPropertyValues("management.endpoint.leases.access=NONE")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LeasesEndpoint.class));
    }

    @Test
    void allBackOffForBeansOfTheirTypes() {
        runner.withBean("check", LeaseHealthCheck.class, () -> () -> new LeaseHealthCheck.Result(true, Map.of()))
                .withBean("sanitizer", SecretsSanitizer.class)
                .withBean(
                        "endpoint",
                        LeasesEndpoint.class,
                        () -> new LeasesEndpoint(
                                Map::of,
                                List::of,
                                new LeasesEndpoint.Leaders(Map::of, method -> Optional.empty()),
                                () -> "",
                                true,
                                Duration.ofSeconds(30),
                                new NextRuns(Stream::empty)))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("leaseHealthCheck")
                        .doesNotHaveBean("leasesEndpoint")
                        .doesNotHaveBean("leaseSecretsSanitizer"));
    }
}
