package io.leasekit.benchmarks;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseStore;
import java.net.URI;
import java.util.Map;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.dynamodb2.DynamoDBLockProvider;
import net.javacrumbs.shedlock.provider.inmemory.InMemoryLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Spring Boot applications with annotated methods. The caller closes them. */
final class Applications {

    private static final String ENDPOINT = "benchmarks.endpoint";

    private Applications() {}

    static ConfigurableApplicationContext start(Class<?> application, Map<String, Object> properties) {
        return new SpringApplicationBuilder(application)
                .properties(properties)
                .properties("spring.main.banner-mode=off", "logging.level.root=ERROR")
                .run();
    }

    /** Starts an application with the starter, which creates its own client. */
    static ConfigurableApplicationContext leasekit(URI endpoint) {
        return start(
                Leasekit.class,
                Map.of(
                        "lease.dynamodb.endpoint", endpoint.toString(),
                        "lease.dynamodb.region", "us-east-1",
                        "lease.dynamodb.access-key", "local",
                        "lease.dynamodb.secret-key", "local"));
    }

    static ConfigurableApplicationContext shedLock(URI endpoint) {
        return start(ShedLock.class, Map.of(ENDPOINT, endpoint.toString(), "lease.enabled", "false"));
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class Leasekit {

        @Bean
        LeasekitJobs jobs() {
            return new LeasekitJobs();
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class LeasekitInMemory {

        @Bean
        LeaseStore store() {
            return new InMemoryLeaseStore();
        }

        @Bean
        LeasekitJobs jobs() {
            return new LeasekitJobs();
        }
    }

    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    @Configuration(proxyBeanMethods = false)
    static class ShedLock {

        @Bean
        DynamoDbClient client(Environment environment) {
            return Clients.sync(URI.create(environment.getRequiredProperty(ENDPOINT)));
        }

        @Bean
        LockProvider provider(DynamoDbClient client) {
            return new DynamoDBLockProvider(client, Tables.SHEDLOCK);
        }

        @Bean
        ShedLockJobs jobs() {
            return new ShedLockJobs();
        }
    }

    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    @Configuration(proxyBeanMethods = false)
    static class ShedLockInMemory {

        @Bean
        LockProvider provider() {
            return new InMemoryLockProvider();
        }

        @Bean
        ShedLockJobs jobs() {
            return new ShedLockJobs();
        }
    }

    /** An application without the starter that creates a client and sends one request. */
    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class ClientOnly {

        @Bean
        DynamoDbAsyncClient client(Environment environment) {
            DynamoDbAsyncClient client = Clients.leasekit(URI.create(environment.getRequiredProperty(ENDPOINT)));
            client.describeTable(r -> r.tableName(Tables.LEASES)).join();
            return client;
        }
    }

    static ConfigurableApplicationContext clientOnly(URI endpoint) {
        return start(
                ClientOnly.class,
                Map.of(
                        ENDPOINT,
                        endpoint.toString(),
                        "spring.autoconfigure.exclude",
                        "io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration,"
                                + "io.leasekit.spring.autoconfigure.LeaseAutoConfiguration,"
                                + "io.leasekit.spring.autoconfigure.LeaseTransactionAutoConfiguration"));
    }
}
