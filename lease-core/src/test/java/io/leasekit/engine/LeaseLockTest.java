package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks in virtual time. A second thread runs only while the test waits for its end, so each test repeats itself. */
@Timeout(600)
class LeaseLockTest {

    private static final Duration STEP = Duration.ofMillis(100);

    private final Bench bench = new Bench();
    private final Deque<Runnable> duringWaits = new ArrayDeque<>();
    private final VirtualMachine[] machine = new VirtualMachine[1];
    private final Bench.Node here = bench.start(
            "here",
            builder -> ((EngineBuilder) builder)
                    .closeTimeout(Duration.ZERO)
                    .time(new MovingTime(bench, () -> machine[0], STEP, this::nextStep)),
            its -> machine[0] = its);
    private final Bench.Node other = bench.start("other");
    private final LeaseLock lock = here.leases.lock("key");

    /** Each wait first runs the next step of the test. */
    private void nextStep() {
        if (!duringWaits.isEmpty()) {
            duringWaits.remove().run();
        }
    }

    /** Clears a flag that a failed test has left. */
    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    private static <T> T onThread(String name, Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, name);
        thread.start();
        try {
            thread.join();
            return task.get();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException thrown ? thrown : new IllegalStateException(e);
        }
    }

    private static boolean triedBy(String thread, LeaseLock lock) {
        return onThread(thread, lock::tryLock);
    }

    private static void unlockedBy(String thread, LeaseLock lock) {
        onThread(thread, () -> {
            lock.unlock();
            return true;
        });
    }

    private void loseBy(Duration outage) {
        here.store.always(LOST);
        bench.advance(outage);
        here.store.heal();
    }

    // ---- owners

    @Test
    void otherThreadsAreKeptOutByAnyLockOfTheKey() {
        lock.lock();

        assertThat(triedBy("worker", lock)).isFalse();
        assertThat(triedBy("worker", here.leases.lock("key"))).isFalse();
        assertThat(triedBy("worker", here.leases.lock("another"))).isTrue();
        assertThat(other.leases.lock("key").tryLock()).isFalse();
        lock.unlock();

        assertThat(triedBy("worker", lock)).isTrue();
    }

    @Test
    void itsThreadMayLockItAgainByAnyLockOfTheKey() throws InterruptedException {
        here.sample(2);
        LeaseLock same = here.leases.lock(LeaseRequest.of("key").ttl(Duration.ofMinutes(1)));
        lock.lock();
        same.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.lockInterruptibly();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
        assertThat(same.lease()).isSameAs(lock.lease());

        for (int i = 0; i < 4; i++) {
            same.unlock();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
        }
        assertThat(here.store.verbs()).isEmpty();
        lock.unlock();

        assertThat(here.store.verbs()).containsExactly(RELEASE);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aLeaseOfTheSameKeyAndALockExcludeEachOther() {
        Lease lease = here.acquire("key");
        assertThat(lock.tryLock()).isFalse();
        lease.close();
        assertThat(lock.tryLock()).isTrue();

        assertThat(here.tryAcquire("key")).isEmpty();
    }

    @Test
    void onlyTheOwnerMayUnlock() {
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessage("Lock 'key' is held by no thread of this manager, expected a call by its owner, not by"
                        + " thread '" + Thread.currentThread().getName() + "'");
        lock.lock();

        assertThatThrownBy(() -> unlockedBy("worker", lock))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessage("Lock 'key' is held by thread '"
                        + Thread.currentThread().getName()
                        + "', expected a call by its owner, not by thread 'worker'");
        assertThatThrownBy(() -> onThread("worker", lock::lease)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(onThread("worker", lock::isHeldByCurrentThread)).isFalse();
        assertThat(lock.lease().isValid()).isTrue();
    }

    @Test
    void itsLeaseIsThatOfTheRequest() {
        LeaseLock own = here.leases.lock(
                LeaseRequest.of("key").ttl(Duration.ofSeconds(40)).cooldown(Duration.ofMinutes(1)));
        own.lock();

        assertThat(own.key()).isEqualTo("key");
        assertThat(own.lease().key()).isEqualTo("key");
        assertThat(own.lease().fence().fencingToken())
                .isEqualTo(bench.item("key").token());
        assertThat(bench.item("key").durationMillis()).isEqualTo(40_000);
        assertThat(own)
                .hasToString("LeaseLock[key='key', held by thread '"
                        + Thread.currentThread().getName() + "']");
        own.unlock();

        assertThat(own.tryLock()).as("kept by the cooldown").isFalse();
        assertThat(own).hasToString("LeaseLock[key='key', held by no thread of this manager]");
    }

    @Test
    void aThreadThatEndsWithoutUnlockingLeavesItLocked() {
        LeaseLock limited = here.leases.lock(LeaseRequest.of("limited").holdAtMost(Duration.ofMinutes(2)));
        assertThat(triedBy("ended", lock) && triedBy("ended", limited)).isTrue();

        bench.advance(Duration.ofMinutes(3));
        assertThat(lock.tryLock()).isFalse();
        assertThat(limited.tryLock()).isTrue();
        here.leases.close();
        bench.advance(Bench.TTL.plusSeconds(7));

        assertThat(other.leases.lock("key").tryLock()).isTrue();
    }

    // ---- waits

    @Test
    void locksOfThreadsThatAreGoneAreForgottenOnceTheirLeasesHaveEnded() {
        LeaseLock limited = here.leases.lock(LeaseRequest.of("limited").holdAtMost(Duration.ofMinutes(2)));
        LeaseLock renewed = here.leases.lock("renewed");
        assertThat(triedBy("gone", limited) && triedBy("gone too", renewed)).isTrue();

        bench.advance(Duration.ofMinutes(2));
        lockAndUnlockOthers(20);

        assertThat(limited).asString().contains("held by no thread of this manager");
        assertThat(renewed).asString().contains("held by thread 'gone too'");
    }

    private void lockAndUnlockOthers(int times) {
        for (int i = 0; i < times; i++) {
            LeaseLock another = here.leases.lock("another-" + i);
            another.lock();
            another.unlock();
        }
    }

    @Test
    void lockWaitsUntilTheOwnerUnlocks() {
        Lease others = other.acquire("key");
        duringWaits.add(() -> {
            bench.advance(Duration.ofMinutes(10));
            others.close();
        });

        lock.lock();

        assertThat(lock.lease().isValid()).isTrue();
    }

    @Test
    void anUnlockHandsTheLeaseOverToTheNextThread() throws Exception {
        ExecutorService worker = Executors.newSingleThreadExecutor();
        worker.submit(lock::lock).get();
        here.store.verbs();
        duringWaits.add(() -> CompletableFuture.runAsync(lock::unlock, worker).join());

        lock.lock();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        worker.shutdown();
    }

    @Test
    void tryLockWaitsForItsTimeOnly() throws InterruptedException {
        Lease others = other.acquire("key");
        long begun = bench.time.elapsed();

        assertThat(lock.tryLock(700, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(bench.time.elapsed() - begun)
                .isEqualTo(Duration.ofMillis(700).toNanos());
        assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isFalse();
        assertThat(bench.time.elapsed() - begun)
                .isEqualTo(Duration.ofMillis(700).toNanos());
        duringWaits.add(others::close);

        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
    }

    @Test
    void anInterruptDoesNotEndTheWaitOfLock() {
        Lease others = other.acquire("key");
        duringWaits.add(() -> Thread.currentThread().interrupt());
        duringWaits.add(others::close);

        lock.lock();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.lease().isValid()).isTrue();
        assertThat(here.leases.held()).hasSize(1);
    }

    @Test
    void anInterruptThatCameBeforeEndsNeitherLockNorTryLockNorUnlock() {
        Thread.currentThread().interrupt();

        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void anInterruptEndsTheOtherWaits() {
        other.acquire("key");
        duringWaits.add(() -> Thread.currentThread().interrupt());
        assertThatThrownBy(lock::lockInterruptibly)
                .isInstanceOf(InterruptedException.class)
                .hasMessage("Interrupted while waiting for lease 'key'");
        assertThat(Thread.interrupted()).isFalse();
        duringWaits.add(() -> Thread.currentThread().interrupt());
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.HOURS)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();

        assertThat(here.leases.waiting()).isEmpty();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void anInterruptThatCameBeforeEndsTheOtherWaitsEvenWhereNobodyWouldWait() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly)
                .isInstanceOf(InterruptedException.class)
                .hasMessage("Interrupted before a wait for lock 'key'");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.HOURS)).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(here.store.sent(ACQUIRE)).isEmpty();
    }

    // ---- losses

    @Test
    void aLossIsToldByTheLastUnlock() {
        List<LeaseLossReason> told = new ArrayList<>();
        lock.lock();
        lock.lock();
        lock.lease().lost().thenAccept(told::add);
        loseBy(Bench.TTL);
        assertThat(told).containsExactly(LeaseLossReason.EXPIRED);
        here.store.verbs();

        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(LeaseLossReason.EXPIRED))
                .hasMessageStartingWith("Lease 'key' of owner 'here'");

        assertThat(here.store.verbs()).as("closed").containsExactly(RELEASE);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aLossThatNoTimerHasNoticedIsToldToo() {
        lock.lock();
        machine[0].stop(Bench.TTL);

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLostLockIsNotLockedAgainBeforeItIsUnlocked() {
        lock.lock();
        loseBy(Bench.TTL);

        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);

        lock.lock();
        lock.unlock();
    }

    @Test
    void theNextOwnerIsNotTouchedByTheUnlockOfALostLock() {
        lock.lock();
        loseBy(Bench.TTL.plusSeconds(7));
        assertThat(triedBy("worker", lock)).isTrue();

        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);

        assertThat(lock.tryLock()).isFalse();
        bench.advance(Bench.TTL.multipliedBy(3));
        assertThat(lock.tryLock()).isFalse();
        assertThat(here.leases.held()).hasSize(1);
    }

    @Test
    void anUnlockAfterAJumpOfAClockWaitsForTheRenewal() {
        lock.lock();
        here.store.next(RENEW, LOST);
        here.machine.jumpWallClock(Duration.ofHours(1));
        assertThat(lock.lease().isValid()).isFalse();
        Thread.currentThread().interrupt();

        lock.unlock();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aLeaseThatWasClosedByHandIsToldByUnlock() {
        lock.lock();
        lock.lease().close();
        assertThat(triedBy("worker", lock)).isTrue();

        assertThatThrownBy(lock::unlock)
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageContaining("it was released");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void theCloseOfTheManagerIsALoss() {
        lock.lock();
        here.leases.closeAsync();
        bench.advance(STEP);

        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(LeaseLossReason.CLOSED));
        assertThatThrownBy(lock::lock).isExactlyInstanceOf(LeaseException.class).hasMessageContaining("is closed");
    }

    @Test
    void theCloseOfTheManagerEndsAWait() {
        other.acquire("key");
        duringWaits.add(() -> here.leases.closeAsync());

        assertThatThrownBy(lock::lock).isExactlyInstanceOf(LeaseException.class).hasMessageContaining("is closed");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    // ---- failures of the store

    @Test
    void lockOutlastsAnOutage() {
        here.store.always(refused("Throttled"));
        duringWaits.add(() -> {
            bench.advance(Duration.ofMinutes(5));
            here.store.heal();
        });

        lock.lock();

        assertThat(lock.lease().isValid()).isTrue();
    }

    @Test
    void tryLockTellsOfAnOutage() {
        here.store.always(refused("Throttled"));

        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseStoreException.class);
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(LeaseStoreException.class);
    }

    @Test
    void lockTellsOfARejection() {
        here.sample(2);
        here.store.always(request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));

        assertThatThrownBy(lock::lock).isInstanceOf(LeaseStoreException.class);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    // ---- what is refused

    @Test
    void conditionsAreRefused() {
        assertThatThrownBy(lock::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("Lock 'key' does not support conditions, because a signal does not reach other processes:"
                        + " unlock, wait by other means, and lock again");
    }

    @Test
    void requestsThatMakeNoLockAreRefused() {
        assertRefused(
                LeaseRequest.ofAll("a", "b"),
                "Request names 2 keys for lock 'a', 'b', expected one: for several keys, acquire a lease");
        assertRefused(
                LeaseRequest.of("key").once("run"),
                "once is 'run' for lock 'key', expected none: for a run, acquire a lease");
        assertRefused(
                LeaseRequest.of("key").waitFor(Duration.ofSeconds(3)),
                "waitFor is 3 s for lock 'key', expected zero: pass the wait to 'tryLock'");
        assertThatIllegalArgumentException().isThrownBy(() -> here.leases.lock(" "));
    }

    private void assertRefused(LeaseRequest request, String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> here.leases.lock(request))
                .withMessage(text);
    }

    @Test
    void aLeaseThatIsGrantedToAWaitInVainIsNotKept() {
        Lease others = other.acquire("key");
        duringWaits.add(() -> {
            others.close();
            Thread.currentThread().interrupt();
        });

        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        bench.advance(Duration.ofSeconds(5));

        Optional<Lease> next = other.tryAcquire("key");
        assertThat(next).isPresent();
    }
}
