package io.leasekit.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

@Timeout(600)
class LeaseIntegrationAutoConfigurationTest {

    private final Journal journal = new Journal();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseAutoConfiguration.class,
                    LeaseIntegrationAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class, InMemoryLeaseStore::new);

    /** A leader that works until it is told to stop. */
    static class Leader {
        @LeaderOnly("ingest")
        public void run(Lease lease) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    /** Writes down the events of the application. */
    record Listener(Journal journal) implements ApplicationListener<AbstractLeaderEvent> {
        @Override
        public void onApplicationEvent(AbstractLeaderEvent event) {
            journal.add((event instanceof OnGrantedEvent ? "granted " : "revoked ") + event.getRole());
        }
    }

    private static void ready(ConfigurableApplicationContext context) {
        context.publishEvent(
                new ApplicationReadyEvent(new SpringApplication(), new String[0], context, Duration.ofSeconds(1)));
    }

    @Test
    void theRegistryIsABeanAndIsMadeAtItsFirstUse() {
        runner.withPropertyValues("lease.key-prefix=shop/").run(context -> {
            assertThat(context.getBeanFactory().containsSingleton("leaseLockRegistry"))
                    .isFalse();
            LockRegistry<?> registry = context.getBean(LockRegistry.class);

            registry.obtain("foo").lock();

            assertThat(registry).isInstanceOf(LeaseLockRegistry.class);
            assertThat(context.getBean(LeaseManager.class).held())
                    .singleElement()
                    .satisfies(lease -> assertThat(lease.key()).isEqualTo("shop/foo"));
            registry.obtain("foo").unlock();
        });
    }

    @Test
    void aLockOutlivesAStopAndAStartOfItsContext() {
        runner.run(context -> {
            LeaseRegistryLock lock = context.getBean(LeaseLockRegistry.class).obtain("foo");
            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();

            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        });
    }

    @Test
    void theRegistryOfTheApplicationIsTheOnlyOne() {
        runner.withBean(DefaultLockRegistry.class, DefaultLockRegistry::new)
                .run(context ->
                        assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(LeaseLockRegistry.class));
    }

    @Test
    void withoutSpringIntegrationThereIsNeither() {
        runner.withClassLoader(new FilteredClassLoader(LockRegistry.class, LeaderEventPublisher.class))
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(LeaseIntegrationAutoConfiguration.class));
    }

    @Test
    void severalManagersWithoutADefaultHaveNoRegistry() {
        LeaseManager one = LeaseManager.builder(new InMemoryLeaseStore()).build();
        LeaseManager two = LeaseManager.builder(new InMemoryLeaseStore()).build();
        runner.withBean("one", LeaseManager.class, () -> one)
                .withBean("two", LeaseManager.class, () -> two)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
    }

    @Test
    void switchedOffLeasesAreLocksOfThisProcess() {
        runner.withPropertyValues("lease.enabled=false").run(context -> {
            LeaseLockRegistry registry = context.getBean(LeaseLockRegistry.class);
            registry.obtain("foo").lock();

            assertThat(Threads.call(() -> registry.obtain("foo").tryLock())).isFalse();
            registry.obtain("foo").unlock();
        });
    }

    @Test
    void aLeaderOfTheApplicationPublishesItsTerms() {
        runner.withBean(Leader.class)
                .withBean(Listener.class, () -> new Listener(journal))
                .withPropertyValues("lease.key-prefix=shop/")
                .run(context -> {
                    ready(context.getSourceApplicationContext());
                    assertThat(journal.next()).isEqualTo("granted ingest");
                });
        assertThat(journal.next()).as("at the end of the context").isEqualTo("revoked ingest");
    }

    @Test
    void aLeaderOfSwitchedOffLeasesPublishesItsTermsToo() {
        runner.withBean(Leader.class)
                .withBean(Listener.class, () -> new Listener(journal))
                .withPropertyValues("lease.enabled=false")
                .run(context -> {
                    ready(context.getSourceApplicationContext());
                    assertThat(journal.next()).isEqualTo("granted ingest");
                });
    }

    @Test
    void thePublisherOfTheApplicationIsUsed() {
        runner.withBean(Leader.class)
                .withBean(LeaderEventPublisher.class, () -> journal)
                .run(context -> {
                    ready(context.getSourceApplicationContext());
                    assertThat(journal.next()).isEqualTo("granted ingest");
                });
    }

    @Test
    void beansAreInjectedByAnyOfItsTypes() {
        runner.run(context -> assertThat(Map.of(
                        "general", context.getBeanNamesForType(LockRegistry.class),
                        "own", context.getBeanNamesForType(LeaseLockRegistry.class)))
                .allSatisfy((type, names) -> assertThat(names).containsExactly("leaseLockRegistry")));
    }
}
