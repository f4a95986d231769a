package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.ScriptedStore.Request;
import io.leasekit.engine.ScriptedStore.Verb;
import io.leasekit.internal.Quietly;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.text.Text;
import io.leasekit.threads.Losses;
import io.leasekit.time.EngineTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the store, of loggers and of executors are failed requests or lost lines. The engine goes on. */
class LibraryErrorTest {

    private static final Consumer<Request> BREAKS = request -> {
        throw new NoClassDefFoundError("by design");
    };

    private final Bench bench = new Bench();

    @Test
    void anErrorOfTheFirstReadOfTheClockIsAFailedRead() {
        Bench.Node node = bench.start("here");
        node.store.next(Verb.READ, BREAKS);
        CompletableFuture<Optional<Lease>> acquiring = node.acquiring("key");

        bench.advance(Duration.ofSeconds(1));

        assertThat(acquiring.join()).isPresent();
    }

    @Test
    void anErrorOfAnAcquireIsAFailedAcquire() {
        Bench.Node node = bench.start("here");
        node.store.next(Verb.ACQUIRE, BREAKS);
        CompletableFuture<Optional<Lease>> acquiring = node.acquiring("key");

        bench.advance(Duration.ofSeconds(1));

        assertThat(acquiring.join()).isPresent();
    }

    @Test
    void anErrorOfARenewalIsAFailedRenewal() {
        Bench.Node node = bench.start("here");
        Lease lease = node.acquire("key");
        node.store.next(Verb.RENEW, BREAKS);

        bench.assertHeldFor(Duration.ofMinutes(1), lease);
    }

    @Test
    void aLeaseWhoseRenewalsAllBreakIsLost() {
        Bench.Node node = bench.start("here");
        Lease lease = node.acquire("key");
        node.store.always(Verb.RENEW, BREAKS);

        bench.advance(Bench.TTL);

        assertThat(lease.lost().toCompletableFuture().join()).isEqualTo(LeaseLossReason.EXPIRED);
    }

    @Test
    void anErrorOfAReleaseIsAFailedRelease() {
        Bench.Node node = bench.start("here");
        Lease lease = node.acquire("key");
        node.store.next(Verb.RELEASE, BREAKS);
        lease.releaseAsync();

        bench.advance(Duration.ofSeconds(1));

        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aLoggerThatBreaksKeepsNoLossFromItsHolder() {
        Bench.Node node = bench.start("here");
        Lease lease = node.acquire("key");
        node.store.always(Verb.RENEW, ScriptedStore.LOST);

        BrokenLogger.during(() -> bench.advance(Bench.TTL));

        assertThat(lease.lost().toCompletableFuture().join()).isEqualTo(LeaseLossReason.EXPIRED);
        node.store.heal();
        assertThat(node.tryAcquire("another")).isPresent();
    }

    @Test
    void aLoggerThatBreaksKeepsNoReplyFromARenewal() {
        Bench.Node node = bench.start("here", builder -> {}, machine -> machine.jumpWallClock(Duration.ofHours(1)));

        BrokenLogger.during(() -> {
            Lease lease = node.acquire("key"); // the first reply shows that the local clock is off, and a WARN is due
            bench.assertHeldFor(Bench.TTL.multipliedBy(3), lease);
        });
    }

    @Test
    void aLoggerThatBreaksTurnsNoRefusalIntoAFailure() {
        bench.start("other").acquire("key");
        Bench.Node node = bench.start("here");

        BrokenLogger.during(() -> assertThat(node.tryAcquire("key")).isEmpty());
    }

    @Test
    void aLoggerThatBreaksKeepsNoManagerWithALeaderFromItsClose() {
        Bench.Node node = bench.start("here");
        Leaders leaders = new Leaders();
        List<CompletableFuture<Void>> closes = new ArrayList<>();
        leaders.elect(
                node.leases,
                "key",
                lease -> BrokenLogger.during(
                        () -> closes.add(node.leases.closeAsync().toCompletableFuture())));

        leaders.runNext();
        bench.advance(Duration.ofMinutes(1));

        assertThat(closes).singleElement().satisfies(close -> assertThat(close).isCompleted());
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aLoggerThatBreaksKeepsNoLeaderFromItsWork() {
        Bench.Node node = bench.start("here");
        Leaders leaders = new Leaders();
        List<String> led = new ArrayList<>();
        leaders.elect(node.leases, "key", lease -> led.add("led"));

        BrokenLogger.during(() -> {
            leaders.runNext();
            bench.advance(Duration.ofSeconds(2));
            leaders.runNext();
        });

        assertThat(led).hasSize(2);
    }

    /** A machine on which one timer cannot be set, or cannot be cancelled: the one before which so many others are. */
    private static final class BreakingMachine extends VirtualMachine {

        final AtomicInteger sets = new AtomicInteger(Integer.MAX_VALUE);
        final AtomicInteger cancels = new AtomicInteger(Integer.MAX_VALUE);

        BreakingMachine(Bench bench) {
            super(bench.time);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            breakAtZero(sets);
            Timer scheduled = super.schedule(delayNanos, () -> Quietly.run(task)); // as the real one does
            return () -> {
                breakAtZero(cancels);
                scheduled.cancel();
            };
        }

        private static void breakAtZero(AtomicInteger left) {
            if (left.getAndDecrement() == 0) {
                throw new OutOfMemoryError("by design");
            }
        }
    }

    private static void closeUnlessFailed(CompletableFuture<Optional<Lease>> acquiring) {
        assertThat(acquiring).isDone();
        if (!acquiring.isCompletedExceptionally()) {
            acquiring.join().orElseThrow().close();
        }
    }

    /** Each timer that the acquire sets is once the one that cannot be set. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void anAcquireWhoseTimerCannotBeSetLeavesNoLeaseBehind(int timer) {
        BreakingMachine machine = new BreakingMachine(bench);
        Bench.Node node = bench.start("here", builder -> ((EngineBuilder) builder).time(machine));

        machine.sets.set(timer);
        CompletableFuture<Optional<Lease>> acquiring = node.acquiring("key");
        machine.sets.set(Integer.MAX_VALUE);
        bench.advance(Duration.ofMinutes(1));

        closeUnlessFailed(acquiring);
        assertThat(bench.isHeld("key")).isFalse();
        assertThat(node.leases.held()).isEmpty();
        assertThat(node.leases.closeAsync().toCompletableFuture()).isCompleted();
    }

    /** Each timer that the acquire cancels is once the one that cannot be cancelled. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void anAcquireOfAPermitWhoseTimerCannotBeCancelledLeavesNoLeaseBehind(int timer) {
        BreakingMachine machine = new BreakingMachine(bench);
        Bench.Node node = bench.start("here", builder -> ((EngineBuilder) builder).time(machine));
        LeaseRequest permit = LeaseRequest.of("key").permits(1);
        Lease others = bench.start("other").acquire(permit);
        CompletableFuture<Optional<Lease>> acquiring = node.leases.acquireAsync(permit.waitFor(Duration.ofMinutes(1)));
        bench.advance(Duration.ofSeconds(5));

        machine.cancels.set(timer);
        others.releaseAsync();
        bench.advance(Duration.ofMinutes(2));
        machine.cancels.set(Integer.MAX_VALUE);

        closeUnlessFailed(acquiring);
        bench.advance(Bench.TTL.multipliedBy(2));
        assertThat(node.leases.held()).isEmpty();
        assertThat(bench.start("third").tryAcquire(permit)).isPresent();
    }

    /** Each timer that a renewal sets is once the one that cannot be set. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void aRenewalWhoseTimerCannotBeSetLosesNoLease(int timer) {
        BreakingMachine machine = new BreakingMachine(bench);
        Bench.Node node = bench.start("here", builder -> ((EngineBuilder) builder).time(machine));
        Lease lease = node.acquire("key");

        machine.sets.set(timer);
        bench.advance(Bench.TTL.dividedBy(3));
        machine.sets.set(Integer.MAX_VALUE);
        bench.assertHeldFor(Bench.TTL.multipliedBy(3), lease);
    }

    @Test
    void aThreadThatCannotBeStartedIsTriedAgain() {
        List<Error> errors =
                new ArrayList<>(List.of(new OutOfMemoryError("unable to create native thread, by design")));
        Bench.Node node = bench.start(
                "here",
                builder -> ((EngineBuilder) builder).sender(task -> {
                    if (!errors.isEmpty()) {
                        throw errors.remove(0);
                    }
                    task.run();
                }));
        CompletableFuture<Optional<Lease>> acquiring = node.acquiring("key");

        bench.advance(Duration.ofSeconds(1));

        assertThat(acquiring.join()).isPresent();
    }

    @Test
    void aLeaseThatTheExecutorRejectsIsReleasedAgain() {
        Executor closed = task -> {
            throw new RejectedExecutionException("by design");
        };
        Bench.Node node = bench.start("here");

        CompletableFuture<Optional<Lease>> acquiring = node.leases.acquireAsync(LeaseRequest.of("key"), closed);

        bench.advance(Duration.ofSeconds(1));
        assertThat(acquiring)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LeaseException.class)
                .withMessageContainingAll("'key'", "rejected");
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aLeaseThatNoThreadHandsOutIsReleasedAgain() {
        Queue<Runnable> neverRun = new ArrayDeque<>();
        Bench.Node node = bench.start("here");
        CompletableFuture<Optional<Lease>> acquiring = node.leases.acquireAsync(LeaseRequest.of("key"), neverRun::add);
        assertThat(bench.isHeld("key")).isTrue();

        bench.advance(Bench.TTL.dividedBy(3));

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(acquiring).isCompletedExceptionally();
        neverRun.forEach(Runnable::run);
        assertThat(acquiring).isCompletedExceptionally();
    }

    @Test
    void aLeaseThatWasHandedOutIsKeptByNothingAfterItsRelease() {
        WeakReference<Lease> released = handedOutAndReleased(bench.start("here"));

        for (int i = 0; i < 20 && released.get() != null; i++) {
            System.gc();
        }

        assertThat(released.get()).isNull();
    }

    /** What an acquire may wait for while no thread sends: a turn, the time and the pauses. */
    @ParameterizedTest
    @CsvSource({"3, false", "0, false", "3, true"})
    void anAcquireThatEndedBeforeItWasSentIsKeptByNothing(int samples, boolean pauses) {
        List<Runnable> neverRun = new ArrayList<>();
        boolean[] blocked = {false};
        Bench.Node node = bench.start("here", builder -> {
            builder.pauses(pauses);
            ((EngineBuilder) builder).sender(task -> {
                if (blocked[0]) {
                    neverRun.add(task);
                } else {
                    task.run();
                }
            });
        });
        node.sample(samples);
        blocked[0] = true;
        for (int i = 0; i < RequestLimiter.FIRST_IN_FLIGHT; i++) {
            node.acquiring("key-" + i);
        }

        WeakReference<String> cancelled = cancelled(node);
        WeakReference<String> failed = failed(node);

        for (int i = 0; i < 20 && (failed.get() != null || cancelled.get() != null); i++) {
            System.gc();
        }
        assertThat(failed.get()).isNull();
        assertThat(cancelled.get()).isNull();
        assertThat(neverRun).as("its manager still has requests").isNotEmpty();
        assertThat(node.leases.held()).isEmpty();
    }

    private static WeakReference<String> cancelled(Bench.Node node) {
        String name = onlyOf("cancelled");
        node.leases.acquireAsync(LeaseRequest.of("cancelled").named(name)).cancel(false);
        return new WeakReference<>(name);
    }

    private WeakReference<String> failed(Bench.Node node) {
        String name = onlyOf("failed");
        CompletableFuture<Optional<Lease>> acquiring =
                node.leases.acquireAsync(LeaseRequest.of("failed").named(name));
        bench.advance(Duration.ofSeconds(10));
        assertThat(acquiring).isCompletedExceptionally();
        return new WeakReference<>(name);
    }

    /** Returns a name that nothing but its acquire keeps. */
    private static String onlyOf(String acquire) {
        return "name of " + acquire;
    }

    private static WeakReference<Lease> handedOutAndReleased(Bench.Node node) {
        Queue<Runnable> tasks = new ArrayDeque<>();
        CompletableFuture<Optional<Lease>> acquiring = node.leases.acquireAsync(LeaseRequest.of("key"), tasks::add);
        tasks.remove().run();
        Lease lease = acquiring.join().orElseThrow();
        lease.close();
        return new WeakReference<>(lease);
    }

    @Test
    void aLossIsToldWhileAllOtherCallbacksAreBusy() {
        Queue<Runnable> busy = new ArrayDeque<>();
        Bench.Node node = bench.start("here", builder -> builder.callbackExecutor(busy::add));
        CompletableFuture<Optional<Lease>> acquiring = node.leases.acquireAsync(LeaseRequest.of("key"), Runnable::run);
        Lease lease = acquiring.join().orElseThrow();
        node.store.always(Verb.RENEW, ScriptedStore.LOST);

        bench.advance(Bench.TTL);

        assertThat(lease.lost().toCompletableFuture()).isDone();
        assertThat(node.events).last().isInstanceOf(LeaseEvent.Lost.class);
    }

    @Test
    void aLossIsToldOnceAThreadIsFree() {
        List<Integer> free = new ArrayList<>();
        Bench.Node node = bench.start(
                "here",
                builder -> ((EngineBuilder) builder).losses(task -> {
                    if (free.isEmpty()) {
                        throw new RejectedExecutionException("by design");
                    }
                    task.run();
                }));
        Lease lease = node.acquire("key");
        node.store.always(Verb.RENEW, ScriptedStore.LOST);
        bench.advance(Bench.TTL);
        assertThat(lease.lost().toCompletableFuture()).isNotDone();

        free.add(1);
        bench.advance(Duration.ofSeconds(1));

        assertThat(lease.lost().toCompletableFuture()).isDone();
    }

    @Test
    void oneTimerTriesAllLossesThatWaitForAThread() {
        List<Integer> told = new ArrayList<>();
        int[] free = {0};
        int[] attempts = {0};
        List<Runnable> started = new ArrayList<>();
        Losses losses = new Losses(
                task -> {
                    attempts[0]++;
                    if (free[0] == 0) {
                        throw new RejectedExecutionException("by design");
                    }
                    free[0]--;
                    started.add(task);
                },
                bench.time);
        for (int i = 0; i < 1_000; i++) {
            int loss = i;
            losses.run(() -> told.add(loss));
        }
        attempts[0] = 0;

        bench.advance(Duration.ofSeconds(10));
        assertThat(attempts[0]).isEqualTo(100);

        free[0] = 3;
        bench.advance(Duration.ofMillis(100));
        assertThat(started).hasSize(3);
        started.forEach(Runnable::run);
        assertThat(told).hasSize(1_000).doesNotHaveDuplicates();
    }

    @Test
    void aQueryOfTheValidityAfterAJumpSendsNothing() {
        Bench.Node node = bench.start("here");
        Lease lease = node.acquire("key");
        bench.advance(Duration.ofSeconds(1));
        node.machine.jumpWallClock(Duration.ofHours(1));
        node.store.verbs();

        assertThat(lease.isValid()).isFalse();

        assertThat(node.store.verbs()).isEmpty();
        bench.advance(Duration.ofMillis(1));
        assertThat(node.store.verbs()).contains(Verb.RENEW);
        assertThat(lease.isValid()).isTrue();
    }

    /** The SDK resolves credentials on the thread that calls it, here on one of the two that send. */
    @Test
    void aSlowRefreshOfCredentialsLosesNothing() {
        Duration ttl = Duration.ofSeconds(3);
        TwoThreads senders = new TwoThreads();
        Bench.Node node = bench.start("here", builder -> {
            builder.ttl(ttl);
            ((EngineBuilder) builder).sender(senders);
        });
        List<CompletableFuture<Optional<Lease>>> acquiring = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            acquiring.add(node.acquiring("key-" + i));
        }
        bench.advance(Duration.ofMillis(100));
        node.store.next(Verb.RENEW, request -> {
            senders.block(Duration.ofSeconds(4));
            bench.time.schedule(4 * EngineTime.SECOND, request::deliver);
        });

        bench.advance(Duration.ofSeconds(20));

        assertThat(acquiring).allSatisfy(one -> {
            assertThat(one.join()).isPresent();
            assertThat(one.join().orElseThrow().isValid()).isTrue();
        });
    }

    /** Both threads that send are blocked, so the pauses are not even asked for. */
    @Test
    void anAcquireWhosePausesCannotBeReadEndsWhileTheSdkBlocksAllSenders() {
        TwoThreads senders = new TwoThreads();
        Bench.Node node = bench.start("here", builder -> {
            builder.pauses(true);
            ((EngineBuilder) builder).sender(senders);
        });
        for (int i = 0; i < 2; i++) {
            bench.time.schedule(0, () -> senders.block(Duration.ofHours(1)));
        }
        bench.advance(Duration.ofMillis(1));
        CompletableFuture<Optional<Lease>> acquiring = node.acquiring("key");
        CompletableFuture<Optional<Lease>> waiting =
                node.leases.acquireAsync(LeaseRequest.of("another").waitFor(Duration.ofSeconds(20)));

        bench.advance(Duration.ofSeconds(6)); // the store timeout
        assertThat(acquiring)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseStoreException.class);
        assertThat(waiting).isNotDone();
        bench.advance(Duration.ofSeconds(16)); // the wait, and the timeout of a request

        assertThat(waiting)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseStoreException.class);
    }

    private static Stream<Arguments> callsThatBlock() {
        return Stream.of(
                callThatBlocks("the time of table 'scripted'", Duration.ofSeconds(8), LeaseManager::time),
                callThatBlocks("the read of lease 'key'", Duration.ofSeconds(8), leases -> leases.find("key")),
                callThatBlocks("a list of leases", Duration.ofSeconds(26), LeaseManager::list), // it may take ten reads
                callThatBlocks(
                        "the forced release of lease 'key'",
                        Duration.ofSeconds(8),
                        leases -> leases.forceRelease("key", 1)),
                callThatBlocks(
                        "the pauses of the table",
                        Duration.ofSeconds(8),
                        leases -> leases.pauses().pause("key", VirtualTime.START.plusSeconds(86_400), "why")));
    }

    private static Arguments callThatBlocks(String what, Duration limit, Consumer<LeaseManager> call) {
        return Arguments.of(what, limit, call);
    }

    /** A request is watched once a sender begins it, so only the caller's own limit ends these. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("callsThatBlock")
    void aCallEndsWhileTheSdkBlocksAllSendersAndWritesNothingAfterwards(
            String what, Duration limit, Consumer<LeaseManager> call) {
        TwoThreads senders = new TwoThreads();
        Bench.Node node = bench.start("here", builder -> {
            builder.pauses(true);
            ((EngineBuilder) builder).sender(senders).time(new MovingTime(bench));
        });
        for (int i = 0; i < 2; i++) {
            bench.time.schedule(0, () -> senders.block(Duration.ofHours(1)));
        }
        bench.advance(Duration.ofMillis(1));
        Instant begun = bench.time.now();

        assertThatThrownBy(() -> call.accept(node.leases))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessageContaining(what + " within " + Text.exact(limit));
        assertThat(Duration.between(begun, bench.time.now())).isEqualTo(limit);

        bench.advance(Duration.ofHours(2));
        assertThat(node.store.verbs()).as("what is written").isSubsetOf(Verb.READ, Verb.LIST);
    }

    /** Two threads in virtual time. */
    private final class TwoThreads implements Executor {
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private int free = 2;

        @Override
        public void execute(Runnable task) {
            waiting.add(task);
            bench.time.schedule(0, this::runNext);
        }

        private void runNext() {
            if (free > 0 && !waiting.isEmpty()) {
                waiting.remove().run();
            }
        }

        /** Blocks the thread of the present task. */
        private void block(Duration duration) {
            free--;
            bench.time.schedule(duration.toNanos(), () -> {
                free++;
                while (free > 0 && !waiting.isEmpty()) {
                    runNext();
                }
            });
        }
    }
}
