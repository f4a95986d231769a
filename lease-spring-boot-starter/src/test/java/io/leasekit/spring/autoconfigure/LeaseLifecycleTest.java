package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.aop.DistributedLeaseSettings;
import io.leasekit.spring.check.StandIns;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

class LeaseLifecycleTest {

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
    private final LeaseLifecycle lifecycle = new LeaseLifecycle(
            beanFactory,
            new DistributedLeaseAdvisor(beanFactory, new StandIns(), () -> new DistributedLeaseSettings("", false)));

    @Test
    void itStartsBeforeSchedulersAndStopsAfterThem() {
        assertThat(lifecycle.getPhase()).isLessThan(ExecutorConfigurationSupport.DEFAULT_PHASE);
        assertThat(lifecycle.isAutoStartup()).isTrue();
    }

    @Test
    void stoppingClosesAllManagersThatWereMade() {
        LeaseManager one = manager("one");
        LeaseManager two = manager("two");
        lifecycle.start();

        lifecycle.stop();

        assertClosed(one);
        assertClosed(two);
        assertThat(lifecycle.isRunning()).isFalse();
    }

    @Test
    void stoppingMakesNoManager() {
        beanFactory.registerBeanDefinition("lazy", new RootBeanDefinition(LeaseManager.class, () -> {
            throw new AssertionError("made");
        }));

        lifecycle.stop();
    }

    @Test
    void theCallbackIsCalledOnceAllManagersAreClosed() throws Exception {
        LeaseManager manager = manager("one");
        CompletableFuture<Void> stopped = new CompletableFuture<>();

        lifecycle.stop(() -> stopped.complete(null));

        stopped.get(10, TimeUnit.MINUTES);
        assertClosed(manager);
    }

    @Test
    void aStartAfterAStopOpensTheManagersAgain() {
        LeaseManager manager = manager("one");
        lifecycle.start();
        lifecycle.stop();

        lifecycle.start();

        assertThat(manager.tryAcquire("key")).isPresent();
    }

    private static LeaseManager inMemory() {
        return LeaseManager.builder(new InMemoryLeaseStore()).build();
    }

    private LeaseManager manager(String name) {
        LeaseManager manager = inMemory();
        beanFactory.registerSingleton(name, manager);
        return manager;
    }

    private static void assertClosed(LeaseManager manager) {
        assertThatExceptionOfType(LeaseException.class).isThrownBy(() -> manager.tryAcquire("key"));
    }
}
