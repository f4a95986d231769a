package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.TaskScheduler;

/** Applications and their tests on a machine that is not set up for AWS. */
@ExtendWith(OutputCaptureExtension.class)
class WithoutAwsTest {

    @BeforeEach
    void isNoEc2Instance() {
        System.setProperty("aws.disableEc2Metadata", "true");
    }

    @AfterEach
    void mayBeAnEc2Instance() {
        System.clearProperty("aws.disableEc2Metadata");
    }

    @Test
    void withoutAnAnnotatedMethodItStartsAndMakesNothing() throws Exception {
        OwnThreads.test(started -> {
            try (ConfigurableApplicationContext context = start(Unannotated.class)) {
                assertThat(context.getBeanFactory().getSingletonNames())
                        .doesNotContain("leaseManager", "leaseStore", LeaseDynamoDbAutoConfiguration.CLIENT);
                assertThat(started.get()).noneMatch(name -> name.matches("(lease|sdk|aws|idle-connection).*"));
            }
        });
    }

    @Test
    void itDefinesNoSchedulerAndNoExecutor() {
        try (ConfigurableApplicationContext context = start(Annotated.class, InMemoryLeaseStore.class)) {
            assertThat(context.getBeanNamesForType(TaskScheduler.class)).isEmpty();
            assertThat(context.getBeanFactory().getBeanDefinition("applicationTaskExecutor"))
                    .isNotNull();
            assertThat(context.getBeanNamesForType(Executor.class)).containsExactly("applicationTaskExecutor");
        }
    }

    @Test
    void withAStoreOfTheTestsItStartsAndGuards() {
        try (ConfigurableApplicationContext context = start(Annotated.class, InMemoryLeaseStore.class)) {
            assertThat(context.getBean(Job.class).isFree(context.getBean(LeaseManager.class)))
                    .isFalse();
        }
    }

    @Test
    void withoutCredentialsItStartsWithAWarning(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start(
                new Class<?>[] {Annotated.class},
                "lease.dynamodb.region=us-east-1",
                "lease.dynamodb.endpoint=http://127.0.0.1:1")) {
            assertThat(context.isRunning()).isTrue();
        }
        assertThat(output)
                .contains(
                        "Table 'leases' could not be checked; calls that need a lease fail until it can be checked: ");
    }

    private static ConfigurableApplicationContext start(Class<?>... sources) {
        return start(sources, "lease.owner=test");
    }

    private static ConfigurableApplicationContext start(Class<?>[] sources, String... properties) {
        return new SpringApplicationBuilder(sources).properties(properties).run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Unannotated {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Job.class)
    static class Annotated {}

    static class Job {
        @DistributedLease("job")
        public boolean isFree(LeaseManager leases) {
            return leases.tryAcquire("job").isPresent();
        }
    }
}
