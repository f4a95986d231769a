package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LeaseManagersTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class));

    private final ApplicationContextRunner runner = bare.withBean(InMemoryLeaseStore.class);

    @Test
    void namedManagersStandBesideTheDefaultOneWhichIsInjectedWithoutAName() {
        slow(builder -> builder.owner("two").ttl(Duration.ofMinutes(5)))
                .withPropertyValues("lease.owner=one")
                .withBean(Injected.class)
                .run(context -> {
                    Injected injected = context.getBean(Injected.class);
                    assertOwner(injected.byType(), "one", Duration.ofSeconds(60));
                    assertOwner(injected.byName(), "two", Duration.ofMinutes(5));
                });
    }

    @Test
    void aMethodUsesTheManagerThatItNames() {
        slow(builder -> builder.owner("two"))
                .withPropertyValues("lease.owner=one")
                .withBean(Jobs.class)
                .run(context -> {
                    assertThat(context.getBean(Jobs.class).owner(context)).isEqualTo("two");
                    assertThat(context.getBean(Jobs.class).defaultOwner(context))
                            .isEqualTo("one");
                });
    }

    private ApplicationContextRunner slow(Consumer<LeaseManagerBuilder> settings) {
        return runner.withInitializer(new FurtherManager("slow", settings));
    }

    /** A context that stops and starts again, as for a checkpoint of the JVM, goes on with its managers. */
    @Test
    void allAreOpenedAgainByAStartAfterAStop() {
        slow(builder -> {}).withBean(Injected.class).run(context -> {
            Injected injected = context.getBean(Injected.class);
            String owner = injected.byName().status().owner();
            context.getSourceApplicationContext().stop();
            assertThatExceptionOfType(LeaseException.class)
                    .isThrownBy(() -> injected.byName().tryAcquire("key"));

            context.getSourceApplicationContext().start();

            assertThat(injected.byName().tryAcquire("key")).isPresent();
            assertThat(injected.byType().tryAcquire("another")).isPresent();
            assertThat(injected.byName().status().owner())
                    .as("it may be another machine")
                    .isNotEqualTo(owner);
        });
    }

    @Test
    void listenersAndTheNameOfTheApplicationAreThoseOfTheDefaultManager() {
        List<LeaseEvent> events = new CopyOnWriteArrayList<>();
        slow(builder -> builder.callbackExecutor(Runnable::run))
                .withPropertyValues("spring.application.name=shop")
                .withBean(LeaseListener.class, () -> events::add)
                .withBean(Injected.class)
                .run(context -> {
                    LeaseManager slow = context.getBean(Injected.class).byName();
                    slow.acquire("key");
                    assertThat(events).hasOnlyElementsOfType(LeaseEvent.Acquired.class);
                    assertThat(slow.status().owner()).startsWith("shop@");
                });
    }

    @Test
    void anUnknownManagerStopsTheStartWithTheMethodAndTheManagersThatThereAre() {
        runner.withInitializer(new FurtherManager("other"))
                .withBean(Jobs.class)
                .run(context -> failure(context)
                        .hasMessage("@DistributedLease on '" + Jobs.class.getName()
                                + ".owner': there is no LeaseManager bean with the name or qualifier 'slow', found"
                                + " 'other', 'leaseManager'")
                        .extracting("fix")
                        .isEqualTo("Correct 'manager', or define a LeaseManager bean 'slow'."));
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
}
