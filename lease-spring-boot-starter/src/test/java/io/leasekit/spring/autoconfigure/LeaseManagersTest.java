package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class LeaseManagersTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class));

    private final ApplicationContextRunner runner = bare.withBean(InMemoryLeaseStore.class);

    @Test
    void namedManagersStandBesideTheDefaultOneWhichIsInjectedWithoutAName() {
        runner.withPropertyValues("lease.owner=one", "lease.managers.slow.owner=two", "lease.managers.slow.ttl=5m")
                .withBean(Injected.class)
                .run(context -> {
                    Injected injected = context.getBean(Injected.class);
                    assertOwner(injected.byType(), "one", Duration.ofSeconds(60));
                    assertOwner(injected.byName(), "two", Duration.ofMinutes(5));
                });
    }

    @Test
    void aMethodUsesTheManagerThatItNames() {
        runner.withPropertyValues("lease.owner=one", "lease.managers.slow.owner=two")
                .withBean(Jobs.class)
                .run(context -> {
                    assertThat(context.getBean(Jobs.class).owner(context)).isEqualTo("two");
                    assertThat(context.getBean(Jobs.class).defaultOwner(context))
                            .isEqualTo("one");
                });
    }

    @Test
    void aManagerThatNobodyUsesIsNotMade() {
        runner.withPropertyValues("lease.managers.slow.ttl=5m")
                .run(context -> assertThat(context.getBeanFactory().containsSingleton("slowLeaseManager"))
                        .isFalse());
    }

    @Test
    void theNameOfTheDefaultManagerIsRefused() {
        runner.withPropertyValues("lease.managers.default.ttl=5m")
                .withBean(Jobs.class)
                .run(context -> assertThat(LeaseSetupFailureAnalyzerTest.analysis(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .isEqualTo("Name of manager 'lease.managers.default' is 'default', expected another"
                                            + " one: the manager of 'lease.*' has it in meters and customizers");
                            assertThat(analysis.getAction())
                                    .isEqualTo("Rename 'lease.managers.default.*', or set the properties of the default"
                                            + " manager as 'lease.*'.");
                        }));
    }

    @Test
    void aBeanMayHaveTheNameOfAManager() {
        runner.withPropertyValues("lease.managers.slow.ttl=5m")
                .withBean("slow", Object.class)
                .withBean(Injected.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aStoreOfTheNameIsTheManagersAndTheOthersAreNot() {
        runner.withPropertyValues("lease.managers.slow.ttl=5m")
                .withUserConfiguration(SlowStore.class)
                .withBean(Injected.class)
                .run(context -> {
                    Injected injected = context.getBean(Injected.class);
                    try (Lease lease = injected.byName().tryAcquire("key").orElseThrow();
                            Lease other = injected.byType().tryAcquire("key").orElseThrow()) {
                        assertThat(lease.isValid()).isTrue();
                        assertThat(other.isValid()).isTrue();
                    }
                });
    }

    @Test
    void aManagerWithATableOfItsOwnHasAStoreOfItsOwnOnTheSameClient() {
        bare.withPropertyValues("lease.managers.slow.table.name=slow", "lease.managers.fast.ttl=5s")
                .run(context -> assertThat(context.getBeanDefinitionNames())
                        .contains("slowLeaseStore", "slowLeaseManager", "fastLeaseManager")
                        .doesNotContain("slowLeaseDynamoDbAsyncClient", "fastLeaseStore"));
    }

    @Test
    void aManagerWithAConnectionOfItsOwnHasAClientOfItsOwn() {
        TestClients.NoHttp http = new TestClients.NoHttp();
        TestClients.runner(http)
                .withPropertyValues(
                        "lease.dynamodb.region=eu-west-1",
                        "lease.dynamodb.access-key=id",
                        "lease.dynamodb.secret-key=secret",
                        "lease.managers.far.dynamodb.region=us-east-1")
                .run(context -> {
                    assertThat(TestClients.connection(context).region()).hasToString("eu-west-1");
                    assertThat(TestClients.connection(context, "farLeaseDynamoDbAsyncClient")
                                    .region())
                            .hasToString("us-east-1");
                });
    }

    @Test
    void anUnknownManagerStopsTheStartWithTheMethodAndTheManagersThatThereAre() {
        runner.withPropertyValues("lease.managers.other.ttl=5m")
                .withBean(Jobs.class)
                .run(
                        context -> failure(context)
                                .hasMessage("@DistributedLease on '" + Jobs.class.getName()
                                        + ".owner': there is no LeaseManager bean with the name or qualifier 'slow', found"
                                        + " 'leaseManager', 'otherLeaseManager'")
                                .extracting("fix")
                                .isEqualTo(
                                        "Correct 'manager', or configure this manager with the properties 'lease.managers.slow.*'."));
    }

    @Test
    void severalManagersOfTheApplicationsAndNoneNamedStopsTheStart() {
        bare.withBean("a", LeaseManager.class, LeaseManagersTest::manager)
                .withBean("b", LeaseManager.class, LeaseManagersTest::manager)
                .withBean(DefaultJob.class)
                .run(context -> failure(context)
                        .hasMessageEndingWith(".run': there are several LeaseManager beans: 'a', 'b'")
                        .extracting("fix")
                        .isEqualTo("Make one of them @Primary, or name one with 'manager'."));
    }

    @Test
    void severalStoresOfTheApplicationsAndNonePrimaryStopTheStart() {
        runner.withBean("second", InMemoryLeaseStore.class)
                .withBean(DefaultJob.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("expected single matching bean but found 2"));
    }

    private static AbstractThrowableAssert<?, ?> failure(AssertableApplicationContext context) {
        return assertThat(context)
                .getFailure()
                .extracting(LeaseManagersTest::shown, InstanceOfAssertFactories.THROWABLE);
    }

    private static Throwable shown(Throwable failure) {
        return failure.getClass().getSimpleName().equals("InvalidLeaseMethodException")
                ? failure
                : shown(failure.getCause());
    }

    private static void assertOwner(LeaseManager manager, String owner, Duration ttl) {
        try (Lease lease = manager.tryAcquire("key-" + owner).orElseThrow()) {
            assertThat(lease.owner()).isEqualTo(owner);
            assertThat(lease.remaining()).isBetween(ttl.minusSeconds(2), ttl);
        }
    }

    private static LeaseManager manager() {
        return LeaseManager.builder(new InMemoryLeaseStore()).build();
    }

    record Injected(LeaseManager byType, LeaseManager byName) {
        Injected(LeaseManager byType, @Qualifier("slow") LeaseManager byName) {
            this.byType = byType;
            this.byName = byName;
        }
    }

    static class Jobs {

        @DistributedLease(key = "a", manager = "slow")
        public String owner(AssertableApplicationContext context) {
            return context.getBean("leaseManager", LeaseManager.class)
                    .find("a")
                    .orElseThrow()
                    .owner();
        }

        @DistributedLease("b")
        public String defaultOwner(AssertableApplicationContext context) {
            return context.getBean("leaseManager", LeaseManager.class)
                    .find("b")
                    .orElseThrow()
                    .owner();
        }
    }

    static class DefaultJob {
        @DistributedLease("job")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class SlowStore {

        @Bean(defaultCandidate = false)
        @Qualifier("slow")
        LeaseStore slow() {
            return new InMemoryLeaseStore();
        }
    }
}
