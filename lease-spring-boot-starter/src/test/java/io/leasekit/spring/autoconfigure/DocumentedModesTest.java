package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.SkippedCallListener;
import io.leasekit.spring.actuate.LeaderMetrics;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An application with all that the pages tell a user to write starts in each documented mode, on each version of Boot. */
class DocumentedModesTest {

    private static final String[] WRITTEN_BY_USERS = {
        "management.endpoint.health.group.readiness.include=ping,leases",
        "management.endpoint.health.group.leases-only.include=leases",
        "management.endpoints.web.exposure.include=health,leases,env,configprops",
        "management.endpoint.leases.access=unrestricted",
        "management.endpoint.health.show-details=always",
        "lease.key-prefix=shop/",
        "lease.ttl=30s",
        "lease.pause.enabled=true",
        "lease.table.name=shop-leases",
        "lease.aspect.order=100",
        "lease.check-before-commit=true",
        "lease.leader.stop-timeout=5s",
        "lease.endpoint.show-keys=true",
        "lease.close-timeout=0s",
        "spring.application.name=shop",
    };

    static Stream<Arguments> modes() {
        return Stream.of(
                Arguments.of("switched off", new Class<?>[] {}, new String[] {"lease.enabled=false"}),
                Arguments.of("switched off by another word", new Class<?>[] {}, new String[] {"lease.enabled=off"}),
                Arguments.of("switched off, store of a test", new Class<?>[] {StoreOfATest.class}, new String[] {
                    "lease.enabled=false"
                }),
                Arguments.of("switched off beside a connection", new Class<?>[] {}, new String[] {
                    "lease.enabled=false", "lease.dynamodb.region=eu-west-1",
                }),
                Arguments.of("switched off, in memory", new Class<?>[] {}, new String[] {
                    "lease.enabled=false", "lease.store=in-memory"
                }),
                Arguments.of("in memory", new Class<?>[] {}, new String[] {"lease.store=in-memory"}),
                Arguments.of("store of a test", new Class<?>[] {StoreOfATest.class}, new String[] {}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("modes")
    void whatThePagesTellAUserToWriteStarts(String mode, Class<?>[] more, String[] properties) {
        try (ConfigurableApplicationContext context = start(more, properties)) {
            boolean off = mode.startsWith("switched off");
            assertThat(context.getBean(Jobs.class).call(null)).isEqualTo("shop/call");
            assertThat(context.getBean(Jobs.class).ordered("7")).isEqualTo("7");
            assertThat(ExposedEndpoints.web(context).contains("leases")).isEqualTo(!off);
            assertThat(context.getBean(LeaseHealthCheck.class).check().up()).isTrue();
            assertThat(context.getBeanFactory().containsBean("leasesHealthIndicator"))
                    .isTrue();
            assertThat(context.getBeanFactory().containsBean("healthEndpoint")).isTrue();
        }
    }

    /** Without this, the test above would prove nothing. */
    @Test
    void bootRefusesAGroupWithAnUnknownContributor() {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start(
                                new Class<?>[] {},
                                "lease.store=in-memory",
                                "management.endpoint.health.group.other.include=nobody")
                        .close())
                .withStackTraceContaining("nobody");
    }

    private static ConfigurableApplicationContext start(Class<?>[] more, String... properties) {
        SpringApplication application = new SpringApplication(
                Stream.concat(Stream.of(Application.class), Stream.of(more)).toArray(Class<?>[]::new));
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        String[] arguments = Stream.concat(Stream.of(WRITTEN_BY_USERS), Stream.of(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        return application.run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    static class StoreOfATest {

        @Bean
        InMemoryLeaseStore store() {
            return new InMemoryLeaseStore();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        /** On a store of its own, as in a profile for tests. */
        @Bean(defaultCandidate = false)
        LeaseManager orders(List<LeaseManagerCustomizer> customizers) {
            LeaseManagerBuilder builder =
                    LeaseManager.builder(new InMemoryLeaseStore()).ttl(Duration.ofMinutes(5));
            customizers.forEach(customizer -> customizer.customize("orders", builder));
            return builder.build();
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        LeaseManagerCustomizer leaseCallbacks() {
            Executor executor = Runnable::run;
            return (name, builder) -> builder.callbackExecutor(executor);
        }

        @Bean
        LeaseDynamoDbClientCustomizer leaseClient() {
            return builder -> builder.endpointDiscoveryEnabled(false);
        }

        @Bean
        LeaseListener listener() {
            return event -> {};
        }

        @Bean
        SkippedCallListener skipped() {
            return call -> {};
        }

        @Bean
        LeaseUnavailableHandler laterHandler() {
            return call -> null;
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Runner runner(LeaseManager leases, @Qualifier("orders") LeaseManager orders, LeaderMetrics metrics) {
            return new Runner(leases, orders, metrics);
        }
    }

    /** Uses managers in each way that the pages show for the start of an application. */
    record Runner(LeaseManager leases, LeaseManager orders, LeaderMetrics metrics) implements ApplicationRunner {

        @Override
        public void run(ApplicationArguments arguments) {
            leases.tryAcquire("start").ifPresent(Lease::close);
            orders.run("orders", () -> {});
            leases.find("start");
            leases.list();
            leases.pauses().list();
            leases.watch("start", state -> {}).close();
            leases.lock("start").tryLock();
            metrics.elect("default", "own", lease -> {}, work -> leases.elect(LeaseRequest.of("own"), work));
        }

        @EventListener
        void lost(LeaseEvent.Lost event) {}
    }

    static class Jobs {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("nightly")
        public void nightly() {}

        @DistributedLease("call")
        public String call(Lease lease) {
            return lease.key();
        }

        @DistributedLease(key = "order-#{#id}", manager = "orders", unavailableHandler = "laterHandler")
        public String ordered(String id) {
            return id;
        }

        @LeaderOnly("ingest")
        public void ingest() {}
    }
}
