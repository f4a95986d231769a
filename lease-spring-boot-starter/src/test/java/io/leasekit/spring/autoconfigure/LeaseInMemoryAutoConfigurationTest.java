package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LeaseInMemoryAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseInMemoryAutoConfiguration.class));

    @ParameterizedTest
    @ValueSource(strings = {"in-memory", "IN_MEMORY", "inMemory"})
    void leasesAreKeptInMemoryWithAWarning(String value, CapturedOutput output) {
        runner.withPropertyValues("lease.store=" + value).run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(InMemoryLeaseStore.class)
                    .doesNotHaveBean(LeaseDynamoDbAutoConfiguration.CLIENT);
            try (Lease lease = context.getBean(LeaseManager.class).acquire("key")) {
                assertThat(lease.isValid()).isTrue();
            }
        });
        assertThat(output)
                .contains("WARN")
                .contains("Leases are kept in memory by 'lease.store=in-memory': they exclude no other process");
    }

    @Test
    void dynamoDbIsTheDefault() {
        runner.run(context ->
                assertThat(context.getBeanFactory().getType("leaseStore")).isEqualTo(CheckedStore.class));
        runner.withPropertyValues("lease.store=dynamodb")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(InMemoryLeaseStore.class));
    }

    @Test
    void settingsOfDynamoDbStopTheStartWithTheFix() {
        String property = "lease.dynamodb.region";
        runner.withPropertyValues("lease.store=in-memory", property + "=text")
                .run(context -> assertThat(LeaseSetupFailureAnalyzerTest.analysis(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .isEqualTo("Property 'lease.store' is 'in-memory', but '" + property
                                            + "' is set, which is for leases in DynamoDB");
                            assertThat(analysis.getAction()).contains("For leases in DynamoDB, remove 'lease.store'.");
                        }));
    }

    @Test
    void switchedOffAndWithEmptyTextItStartsBesideSettingsOfDynamoDb() {
        runner.withPropertyValues("lease.store=in-memory", "lease.dynamodb.region=eu-west-1", "lease.enabled=no")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withPropertyValues("lease.store=in-memory", "lease.dynamodb.region=", "lease.dynamodb.endpoint=")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theTableOfAnotherProfileIsLeftAlone() {
        runner.withPropertyValues("lease.store=in-memory", "lease.table.name=leases", "lease.table.create=if-missing")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(LeaseManager.class).tryAcquire("key"))
                            .isPresent();
                });
    }

    @Test
    void anUnknownStoreStopsTheStart() {
        runner.withPropertyValues("lease.store=redis")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void itBacksOffFromAStoreOfTheApplication(CapturedOutput output) {
        runner.withPropertyValues("lease.store=in-memory")
                .withBean("own", InMemoryLeaseStore.class)
                .run(context ->
                        assertThat(context).hasSingleBean(LeaseStore.class).hasBean("own"));
        assertThat(output).doesNotContain("kept in memory");
    }

    @Test
    void switchedOffItDoesNotWarn(CapturedOutput output) {
        runner.withPropertyValues("lease.store=in-memory", "lease.enabled=false")
                .run(context -> context.getBean(LeaseManager.class).run("key", () -> {}));
        assertThat(output).doesNotContain("WARN");
    }
}
