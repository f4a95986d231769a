package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseInMemoryAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("boot3")
@Timeout(600)
class TestLeasesAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TestLeasesAutoConfiguration.class,
                    LeaseInMemoryAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseAutoConfiguration.class));

    @Test
    void noClientIsCreated() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(TestLeases.class)
                .hasSingleBean(LeaseManager.class)
                .doesNotHaveBean(LeaseDynamoDbAutoConfiguration.CLIENT));
    }

    @Test
    void aStoreOfTheApplicationIsReplaced() {
        runner.withBean(InMemoryLeaseStore.class)
                .withPropertyValues("lease.store=in-memory")
                .run(context -> {
                    context.getBean(TestLeases.class).node("other").hold("report");

                    assertThat(context.getBean(LeaseManager.class).tryAcquire("report"))
                            .isEmpty();
                });
    }

    @Test
    void aManagerThatTheApplicationBuildsIsRefused() {
        runner.withBean(
                        "own",
                        LeaseManager.class,
                        () -> LeaseManager.builder(new InMemoryLeaseStore()).build())
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("LeaseManager bean 'own' does not run in virtual time"));
    }

    @Test
    void aMockOfAManagerIsLeftAlone() {
        LeaseManager mock = mock(LeaseManager.class);
        runner.withBean(LeaseManager.class, () -> mock)
                .run(context -> assertThat(context.getBean(LeaseManager.class)).isSameAs(mock));
    }

    @Test
    void twoKitsInOneContextAreRefused() {
        runner.withBean("one", TestLeases.class, TestLeases::create)
                .withBean("another", TestLeases.class, TestLeases::create)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("Context has 2 beans of type TestLeases")
                        .hasMessageContaining("another"));
    }

    @Test
    void twoContextsShareTheLeasesOfOneKit() {
        TestLeases shared = TestLeases.create();
        ApplicationContextRunner node = runner.withBean(TestLeases.class, () -> shared);
        node.run(one -> node.run(two -> {
            one.getBean(LeaseManager.class).acquireAll("report");

            assertThat(two.getBean(LeaseManager.class).tryAcquire("report")).isEmpty();
        }));
    }

    @Test
    void customizersOfTheApplicationCannotLeaveVirtualTime() {
        runner.withBean(
                        LeaseManagerCustomizer.class,
                        () -> (name, builder) -> builder.ttl(Duration.ofSeconds(10))
                                .callbackExecutor(task -> {
                                    throw new AssertionError();
                                }))
                .run(context -> {
                    TestLeases leases = context.getBean(TestLeases.class);
                    context.getBean(LeaseManager.class).acquireAll("report");

                    assertThat(leases.processes().held("report").orElseThrow().remaining())
                            .isLessThanOrEqualTo(Duration.ofSeconds(10));
                    leases.advance(Duration.ofMinutes(1));
                    assertThat(leases).holds("report");
                });
    }

    @Test
    void aContextClosesAtOnceThoughALeaseIsHeld() {
        TestLeases[] kit = new TestLeases[1];
        runner.run(context -> {
            kit[0] = context.getBean(TestLeases.class);
            context.getBean(LeaseManager.class).acquireAll("report");
        });

        assertThat(kit[0]).lost("report", LeaseLossReason.CLOSED);
    }

    /** The properties of production stay: the kit replaces the store and not the configuration. */
    @ParameterizedTest
    @ValueSource(strings = {"lease.dynamodb.region=eu-west-1", "lease.store=in-memory", "lease.enabled=off"})
    void propertiesOfOtherModesMayStay(String property) {
        runner.withPropertyValues(property).withBean(Job.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(TestLeases.class);
            context.getBean(Job.class).run();
        });
    }

    @Test
    void keysHaveTheirPrefix() {
        runner.withPropertyValues("lease.key-prefix=shop-").withBean(Job.class).run(context -> {
            context.getBean(Job.class).run();

            assertThat(context.getBean(TestLeases.class).calls()).ranOnce("shop-job");
        });
    }

    @Test
    void switchedOffLeasesStartWithoutAManagerOfTheStarter() {
        runner.withPropertyValues("lease.enabled=false").withBean(Job.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Job.class).run();
        });
    }

    static class Job {

        @DistributedLease("job")
        public void run() {}
    }
}
