package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.check.StandIns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Many subscriptions at once. */
@Timeout(600)
class ReactiveLoadTest {

    private static final int MANY = 10_000;
    private static final Duration SOON = Duration.ofMinutes(10);

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final AtomicInteger acquired = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();
    private final LeaseManager other = LeasedBeans.manager(store, "other");
    private final LeaseManager own = LeaseManager.builder(store)
            .owner("own")
            .storeTimeout(SOON)
            .maxWaitersPerKey(MANY)
            .monitor(this::count)
            .build();
    private final Jobs jobs = advised();

    private void count(LeaseMeasurement measurement) {
        if (measurement instanceof LeaseMeasurement.LeaseBegan) {
            acquired.incrementAndGet();
        } else if (measurement instanceof LeaseMeasurement.LeaseEnded) {
            released.incrementAndGet();
        }
    }

    private Jobs advised() {
        DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
        beanFactory.registerSingleton("leaseManager", own);
        ProxyFactory factory = new ProxyFactory(new Jobs());
        factory.setProxyTargetClass(true);
        factory.addAdvisor(new DistributedLeaseAdvisor(
                beanFactory, new StandIns(), () -> new DistributedLeaseSettings("", false)));
        return (Jobs) factory.getProxy();
    }

    @AfterEach
    void close() {
        own.close();
        other.close();
    }

    @Test
    void waitingSubscriptionsHoldNoThread() {
        Lease theirs = other.tryAcquire("waiting").orElseThrow();
        Mono.from(jobs.byNumber(-1)).block(SOON); // creates the threads that there are anyway
        int before = Thread.activeCount();
        List<Disposable> subscriptions = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            subscriptions.add(jobs.waiting().subscribe());
        }
        Awaitility.await().atMost(SOON).until(() -> own.waiting().size() == MANY);

        assertThat(Thread.activeCount())
                .as("threads, of pools of other tests, too")
                .isLessThan(before + MANY / 10);
        subscriptions.forEach(Disposable::dispose);
        // the one that looks at the table ends with its look
        Awaitility.await().atMost(SOON).until(() -> own.waiting().isEmpty());
        assertThat(theirs.isValid()).isTrue();
        theirs.close();
    }

    @Test
    void leasesAcquiredAreLeasesReleasedWhateverIsCancelled() {
        List<Disposable> subscriptions = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Disposable subscription = jobs.byNumber(i % 700).subscribe(value -> {}, failure -> {});
            subscriptions.add(subscription);
            if (i % 3 == 0) {
                subscriptions.get(i / 2).dispose();
            }
        }
        Awaitility.await().atMost(SOON).until(() -> subscriptions.stream().allMatch(Disposable::isDisposed));

        Awaitility.await().atMost(SOON).until(() -> own.held().isEmpty());
        Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(released).hasValue(acquired.get()));
        Awaitility.await()
                .atMost(SOON)
                .until(() -> store.items().values().stream().allMatch(item -> item.releasedAtMillis() != null));
        assertThat(acquired).hasPositiveValue();
    }

    static class Jobs {

        @DistributedLease(key = "waiting", waitFor = "1h")
        public Mono<String> waiting() {
            return Mono.just("waited");
        }

        @DistributedLease(key = "number-#{#number}", waitFor = "1s")
        public Flux<Integer> byNumber(int number) {
            return Flux.just(1, 2, 3).delayElements(Duration.ofMillis(1));
        }
    }
}
