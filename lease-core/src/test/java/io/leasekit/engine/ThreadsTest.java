package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.threads.EngineThreads;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of a manager, in real time: daemons with names, started at the first use, ended by close. */
@Timeout(600)
class ThreadsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(10); // a busy machine may run no thread for seconds

    private final List<LeaseEvent> events = new ArrayList<>();
    private final LeaseManager leases = LeaseManager.builder(new InMemoryLeaseStore())
            .ttl(Duration.ofSeconds(60))
            .storeTimeout(PATIENCE)
            .closeTimeout(Duration.ofMillis(50))
            .listener(events::add)
            .build();

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lease-"))
                .toList();
    }

    private static void assertNoneLeft() {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    @Test
    void aManagerThatIsNotUsedHasNone() {
        assertNoneLeft();
    }

    /** A reply may come after the end, and its caller still waits. */
    @Test
    void whatIsToldAfterTheEndHasAThreadToo() throws Exception {
        assertRunsAfterTheEnd(EngineThreads::losses);
        assertRunsAfterTheEnd(EngineThreads::grants);
    }

    /** A lease may be given back after the end, and its caller waits for the release. */
    @Test
    void whatIsSentAfterTheEndHasAThreadToo() throws Exception {
        assertRunsAfterTheEnd(EngineThreads::senders);
    }

    @Test
    void noneHasValuesOfTheCallerThatNeededItFirst() throws Exception {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        user.set("first caller");
        try {
            EngineThreads threads = new EngineThreads();
            EngineTime time = threads.time();
            List<Executor> executors = List.of(
                    threads.senders(),
                    threads.events(),
                    threads.grants(),
                    threads.losses(),
                    task -> time.schedule(0, task));
            for (Executor executor : executors) {
                CompletableFuture<Boolean> inherited = new CompletableFuture<>();
                executor.execute(() -> inherited.complete(user.get() != null));

                assertThat(inherited.get(10, TimeUnit.MINUTES)).isFalse();
            }
            threads.close();
        } finally {
            user.remove();
        }
    }

    private static void assertRunsAfterTheEnd(Function<EngineThreads, Executor> part) throws Exception {
        EngineThreads threads = new EngineThreads();
        Executor executor = part.apply(threads);
        threads.close();
        CompletableFuture<Thread> ran = new CompletableFuture<>();

        executor.execute(() -> ran.complete(Thread.currentThread()));

        Thread thread = ran.get(10, TimeUnit.MINUTES);
        assertThat(thread.isDaemon()).isTrue();
        assertNoneLeft();
    }

    @Test
    void allAreDaemonsAndNoneIsLeftAfterTheEnd() throws Exception {
        Lease lease = leases.tryAcquire("key").orElseThrow();
        leases.acquireAsync(LeaseRequest.of("other")).get(10, TimeUnit.MINUTES);
        assertThat(threads()).isNotEmpty().allMatch(Thread::isDaemon);
        lease.close();

        leases.close();

        assertNoneLeft();
    }

    @Test
    void noneIsLeftUnderABodyThatStillRuns() throws Exception {
        Lease lease = leases.tryAcquire("key").orElseThrow();
        CompletableFuture<LeaseLossReason> lost = lease.lost().toCompletableFuture();

        leases.close();

        assertThat(lost.get(10, TimeUnit.MINUTES)).isEqualTo(LeaseLossReason.CLOSED);
        assertNoneLeft();
        lease.close();
        assertNoneLeft();
    }

    @Test
    void aWaiterInAnotherThreadIsToldByTheClose() throws InterruptedException {
        assertThat(leases.tryAcquire("key")).isPresent();
        List<Throwable> thrown = new ArrayList<>();
        Thread waiter = new Thread(() -> {
            try {
                leases.acquire(LeaseRequest.of("key").waitFor(Duration.ofMinutes(10)));
            } catch (LeaseException e) {
                thrown.add(e);
            }
        });
        waiter.start();

        leases.close();
        waiter.join();

        assertThat(thrown).singleElement().isExactlyInstanceOf(LeaseException.class);
        assertNoneLeft();
    }

    @Test
    void tenThousandKeysThatAreWaitedForCostNoThreadEach() throws Exception {
        InMemoryLeaseStore table = new InMemoryLeaseStore();
        LeaseManager others = LeaseManager.builder(table)
                .ttl(Duration.ofHours(1))
                .storeTimeout(PATIENCE)
                .closeTimeout(Duration.ZERO)
                .build();
        LeaseManager waiting =
                LeaseManager.builder(table).storeTimeout(PATIENCE).build();
        List<CompletableFuture<Optional<Lease>>> waiters = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            assertThat(others.tryAcquire("key-" + i)).isPresent();
            waiters.add(waiting.acquireAsync(LeaseRequest.of("key-" + i).waitFor(Duration.ofHours(1))));
        }

        assertThat(waiters).noneMatch(CompletableFuture::isDone);
        assertThat(threads()).hasSizeLessThanOrEqualTo(2 * (1 + 4)); // timer and callbacks of each manager

        waiting.close();
        others.close();
        assertNoneLeft();
    }

    @Test
    void thousandsOfHeldLeasesCostNoThreadEach() {
        InMemoryLeaseStore table = new InMemoryLeaseStore();
        LeaseManager many = LeaseManager.builder(table)
                .ttl(Duration.ofMinutes(10))
                .heartbeatInterval(Duration.ofMillis(200))
                .storeTimeout(PATIENCE)
                .closeTimeout(Duration.ZERO)
                .build();
        List<Lease> held = IntStream.range(0, 5_000)
                .mapToObj(i -> many.tryAcquire("key-" + i).orElseThrow())
                .toList();

        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> table.items().values().stream()
                        .noneMatch(item -> item.version().endsWith("-00000001")
                                || item.version().endsWith("-00000002")));

        assertThat(held).allMatch(Lease::isValid);
        assertThat(threads()).hasSizeLessThanOrEqualTo(3); // the timer and two that send
        many.close();
        assertNoneLeft();
    }

    @Test
    void listenersThatHoldUpAllCallbackThreadsStopNoHeartbeat() {
        CountDownLatch end = new CountDownLatch(1);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        InMemoryLeaseStore table = new InMemoryLeaseStore();
        try (LeaseManager held = LeaseManager.builder(table)
                .ttl(Duration.ofSeconds(60))
                .heartbeatInterval(Duration.ofMillis(50))
                .storeTimeout(PATIENCE)
                .closeTimeout(Duration.ofMillis(50))
                .listener(event -> {
                    threads.add(Thread.currentThread().getName());
                    awaitUninterruptibly(end);
                })
                .build()) {
            List<Lease> leases = IntStream.range(0, 6)
                    .mapToObj(i -> held.tryAcquire("key-" + i).orElseThrow())
                    .toList();

            Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> threads.size() == 4);
            for (Lease lease : leases) {
                String seen = table.item(lease.key()).orElseThrow().version();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(10))
                        .until(() ->
                                !table.item(lease.key()).orElseThrow().version().equals(seen));
            }

            assertThat(leases).allMatch(Lease::isValid);
            assertThat(threads).allMatch(name -> name.matches("lease-callback-[1-4]"));
            leases.forEach(Lease::close);
        } finally {
            end.countDown();
        }
        assertNoneLeft();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anExecutorOfTheUsersIsLeftAlone() {
        List<Runnable> tasks = new ArrayList<>();
        LeaseManager own = LeaseManager.builder(new InMemoryLeaseStore())
                .storeTimeout(PATIENCE)
                .callbackExecutor(tasks::add)
                .listener(events::add)
                .build();

        own.tryAcquire("key").orElseThrow().close();
        own.close();

        assertThat(events).isEmpty();
        tasks.forEach(Runnable::run);
        assertThat(events).hasSize(2);
        assertNoneLeft();
    }
}
