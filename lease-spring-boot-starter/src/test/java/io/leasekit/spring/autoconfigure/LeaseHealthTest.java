package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ReflectionUtils;

/** The health contributor on any version of Spring Boot, therefore accessed by names of beans and methods. */
class LeaseHealthTest {

    @Test
    void itIsShownAsLeases() {
        try (ConfigurableApplicationContext context = start(Application.class)) {
            context.getBean(Job.class).run();
            assertThat(status(context)).isEqualTo("UP");
            assertThat(details(context)).containsKey("leaseManager");
        }
    }

    @Test
    void itShowsWhatTheCheckFinds() {
        try (ConfigurableApplicationContext context = start(Failing.class)) {
            assertThat(status(context)).isEqualTo("DOWN");
            assertThat(details(context)).containsEntry("leaseManager", "out of order");
        }
    }

    @Test
    void aManagerOfTheApplicationThatThrowsIsDown() {
        try (ConfigurableApplicationContext context = start(Throwing.class)) {
            assertThat(status(context)).isEqualTo("DOWN");
            assertThat(details(context)).containsEntry("error", "java.lang.IllegalStateException: out of order");
        }
    }

    @Test
    void itShowsTheLastError() {
        try (ConfigurableApplicationContext context = start(OutOfReach.class)) {
            assertThat(details(context).get("leaseManager"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsKey("failingFor")
                    .containsEntry("lastError", "ConnectException: Connection refused");
        }
    }

    @Test
    void itCanBeSwitchedOff() {
        try (ConfigurableApplicationContext context =
                start(Application.class, "management.health.leases.enabled=false")) {
            assertThat(context.containsBean("leasesHealthIndicator")).isFalse();
        }
    }

    @Test
    void withoutLeasesItStaysForHealthGroupsThatNameIt() {
        try (ConfigurableApplicationContext context = start(Application.class, "lease.enabled=false")) {
            assertThat(context.containsBean("leasesHealthIndicator")).isTrue();
        }
    }

    @Test
    void itBacksOffForABeanOfItsName() {
        try (ConfigurableApplicationContext context = start(Own.class)) {
            assertThat(context.getBean("leasesHealthIndicator")).isEqualTo("own");
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .run();
    }

    private static String status(ConfigurableApplicationContext context) {
        return String.valueOf(call(call(health(context), "getStatus"), "getCode"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> details(ConfigurableApplicationContext context) {
        return (Map<String, Object>) call(health(context), "getDetails");
    }

    private static Object health(ConfigurableApplicationContext context) {
        return call(context.getBean("leasesHealthIndicator"), "health");
    }

    private static Object call(Object target, String method) {
        var found = ReflectionUtils.findMethod(target.getClass(), method);
        found.setAccessible(true);
        return ReflectionUtils.invokeMethod(found, target);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Job.class)
    static class Application {

        @Bean
        LeaseStore store() {
            return new InMemoryLeaseStore();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Job.class)
    static class OutOfReach {

        @Bean
        LeaseStore store() {
            return new LeaseStore() {

                @Override
                public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
                    return CompletableFuture.completedFuture(new StoreReply.Failed(
                            StoreReply.FailureKind.NOT_APPLIED,
                            new ConnectException("Connection refused"),
                            null,
                            false));
                }

                @Override
                public StoreInfo info() {
                    return new InMemoryLeaseStore().info();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class Failing {

        @Bean
        LeaseHealthCheck check() {
            return () -> new LeaseHealthCheck.Result(false, Map.of("leaseManager", "out of order"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Throwing {

        @Bean
        LeaseManager manager() {
            LeaseManager manager = Mockito.mock();
            Mockito.when(manager.status()).thenThrow(new IllegalStateException("out of order"));
            return manager;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class Own {

        @Bean
        String leasesHealthIndicator() {
            return "own";
        }
    }

    static class Job {
        @DistributedLease("job")
        public void run() {}
    }
}
