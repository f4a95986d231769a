package io.leasekit.engine;

import static ch.qos.logback.classic.Level.WARN;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.ForcedRelease;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nobody waits for ever for a manager that is closed, with its own threads in real time. */
@Timeout(600)
class AfterCloseTest {

    private static final Duration LIMIT = Duration.ofMinutes(10);

    @RegisterExtension
    final LogLines ofTerms = new LogLines("io.leasekit.leader.Term");

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final ScriptedStore store = new ScriptedStore(table);
    private final BlockingQueue<ScriptedStore.Request> unanswered = new LinkedBlockingQueue<>();
    private final LeaseManager leases = LeaseManager.builder(store)
            .owner("here")
            .storeTimeout(LIMIT)
            .closeTimeout(Duration.ofMillis(50))
            .pauses(true)
            .build();

    /** A thread with a call that blocks. */
    private record Caller<T>(Thread thread, FutureTask<T> call) {

        static <T> Caller<T> of(Callable<T> call) {
            FutureTask<T> task = new FutureTask<>(call);
            Thread thread = new Thread(task, "caller");
            thread.setDaemon(true);
            thread.start();
            return new Caller<>(thread, task);
        }

        void awaitBlocked() {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        }

        void assertRefused() {
            assertThat(call)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isExactlyInstanceOf(LeaseException.class)
                    .withMessage("Lease manager of owner 'here' is closed");
        }
    }

    @AfterEach
    void noThreadIsLeft() {
        leases.close();
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().startsWith("lease-")));
    }

    private ScriptedStore.Request nextUnanswered() throws InterruptedException {
        ScriptedStore.Request request = unanswered.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        return request;
    }

    @Test
    void findIsRefused() {
        leases.close();

        Caller.of(() -> leases.find("key")).assertRefused();
    }

    @Test
    void listIsRefused() {
        leases.close();

        Caller.of(leases::list).assertRefused();
    }

    @Test
    void theLeaderIsNotAskedFor() {
        LeaderElection election = leases.elect(LeaseRequest.of("key"), lease -> {});
        leases.close();

        Caller.of(election::leader).assertRefused();
    }

    @Test
    void listOfPausesThatIsTriedAgainEnds() throws Exception {
        assertThat(endedBetweenTwoAttempts(() -> leases.pauses().list())).isEmpty();
    }

    @Test
    void forcedReleaseThatIsTriedAgainEnds() throws Exception {
        table.put(new LeaseItem("key", "version", 9_000_000_000L, 10_000L, 5L, "other", 1L, null));

        assertThat(endedBetweenTwoAttempts(() -> leases.forceRelease("key", 5)))
                .isEqualTo(new ForcedRelease.Done("key", 5));
    }

    @Test
    void questionForTheTimeThatIsTriedAgainEnds() throws Exception {
        assertThat(endedBetweenTwoAttempts(leases::time)).isNotNull();
    }

    /** Closes the manager, which holds nothing, while the call pauses before its second attempt. */
    private <T> T endedBetweenTwoAttempts(Callable<T> call) throws Exception {
        store.always(unanswered::add);
        Caller<T> caller = Caller.of(call);
        ScriptedStore.Request first = nextUnanswered();
        caller.awaitBlocked();
        store.heal();
        first.fail(FailureKind.NOT_APPLIED, "by design");

        leases.close();

        assertThat(caller.call).succeedsWithin(LIMIT);
        return caller.call.get();
    }

    @Test
    void requestsWithoutReplyFailAndThoseBehindThemGetTheirTurn() throws InterruptedException {
        store.always(unanswered::add);
        List<Caller<?>> asking = new ArrayList<>();
        for (int i = 0; i < RequestLimiter.FIRST_IN_FLIGHT; i++) {
            asking.add(Caller.of(() -> leases.find("key")));
            nextUnanswered();
        }
        Caller<?> find = Caller.of(() -> leases.find("key"));
        Caller<?> list = Caller.of(leases::list);
        find.awaitBlocked();
        list.awaitBlocked();
        store.heal();

        leases.close();

        assertThat(find.call).succeedsWithin(LIMIT);
        assertThat(list.call).succeedsWithin(LIMIT);
        for (Caller<?> caller : asking) {
            assertThat(caller.call)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isExactlyInstanceOf(LeaseStoreException.class)
                    .withMessage("Lease 'key' in table 'scripted': No reply of table 'scripted' before the manager was"
                            + " closed");
        }
    }

    @Test
    void leaseThatIsGivenBackIsReleased() {
        Lease lease = leases.acquire("key");
        leases.close();

        assertThat(lease.releaseAsync()).succeedsWithin(LIMIT);

        assertThat(table.item("key").orElseThrow().version()).isNull();
    }

    @Test
    void releaseThatFailsIsTriedAgain() {
        Lease lease = leases.acquire("key");
        leases.close();
        store.next(RELEASE, refused("by design"));

        assertThat(lease.releaseAsync()).succeedsWithin(LIMIT);

        assertThat(table.item("key").orElseThrow().version()).isNull();
    }

    @Test
    void releaseThatTheCloseDidNotWaitForIsTriedAgain() {
        Lease lease = leases.acquire("key");
        store.always(RELEASE, refused("by design"));
        var released = lease.releaseAsync();
        leases.close();
        assertThat(released.toCompletableFuture()).isNotDone();
        store.heal();

        assertThat(released).succeedsWithin(LIMIT);

        assertThat(table.item("key").orElseThrow().version()).isNull();
    }

    @Test
    void electionWhoseWorkReturnsLateIsLeft() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        LeaderElection election = leases.elect(LeaseRequest.of("key"), lease -> {
            begun.countDown();
            awaitUninterruptibly(mayReturn);
        });
        begun.await();
        leases.close();
        CompletableFuture<Void> left = election.closeAsync().toCompletableFuture();
        assertThat(left).isNotDone();
        mayReturn.countDown();

        assertThat(left).succeedsWithin(LIMIT);

        assertThat(table.item("key").orElseThrow().version()).isNull();
        assertThat(ofTerms.list).as("its stop timeout of 15 s is not over").noneMatch(line -> line.getLevel() == WARN);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // the stop of the term, which this work ignores
            }
        }
    }
}
