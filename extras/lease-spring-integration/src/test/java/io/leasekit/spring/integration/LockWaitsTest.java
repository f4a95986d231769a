package io.leasekit.spring.integration;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.integration.support.locks.LockRegistry;

/** Waits for a lock, and their interrupts. Each wait is virtual time. */
@Timeout(600)
@ExtendWith(TestLeasesExtension.class)
class LockWaitsTest {

    private TestLeases leases;
    private LeaseLockRegistry registry;
    private LeaseLockRegistry othersRegistry;
    private LeaseRegistryLock lock;

    @BeforeEach
    void begin(TestLeases given) {
        leases = given;
        registry = new LeaseLockRegistry(leases.manager());
        othersRegistry = new LeaseLockRegistry(leases.node("other").manager());
        lock = registry.obtain("foo");
    }

    /** Clears a flag that a failed test has left. */
    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    /** Locks by another thread, or by a thread of another process, and unlocks. */
    private static boolean lockAndUnlock(LeaseLockRegistry by) throws InterruptedException {
        by.obtain("foo").lockInterruptibly();
        by.obtain("foo").unlock();
        return true;
    }

    @Test
    void anotherThreadGetsTheLockAfterTheUnlock() {
        lock.lock();
        Threads.Call<Boolean> waiting =
                Threads.begin(() -> lockAndUnlock(registry)).waits();

        lock.unlock();

        assertThat(waiting.result()).isTrue();
        assertThat(leases).isFree("foo");
    }

    @Test
    void anotherProcessGetsTheLockAfterTheUnlock() {
        lock.lock();
        Threads.Call<Boolean> waiting =
                Threads.begin(() -> lockAndUnlock(othersRegistry)).waits();

        lock.unlock();

        assertThat(waiting.result()).isTrue();
    }

    @Test
    void ofTwoThatWaitOneGetsTheLock() {
        lock.lock();
        AtomicInteger owners = new AtomicInteger();
        List<Threads.Call<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            waiting.add(Threads.begin(() -> {
                        boolean mine =
                                registry.obtain("foo").tryLock(ofSeconds(10).toMillis(), TimeUnit.MILLISECONDS);
                        owners.addAndGet(mine ? 1 : 0);
                        return mine; // without an unlock
                    })
                    .waits());
        }

        lock.unlock();

        assertThat(waiting).extracting(Threads.Call::result).containsExactlyInAnyOrder(true, false);
        assertThat(owners).hasValue(1);
    }

    @Test
    void manyThreadsHaveItOneAfterTheOther() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Threads.Call<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(Threads.begin(() -> {
                LeaseRegistryLock mine = registry.obtain("foo");
                mine.lock();
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                done.incrementAndGet();
                inside.decrementAndGet();
                mine.unlock();
                return true;
            }));
        }

        assertThat(calls).extracting(Threads.Call::result).containsOnly(true);
        assertThat(done).hasValue(10);
    }

    @Test
    void tryLockWaitsForItsTimeOnly() throws InterruptedException {
        othersRegistry.obtain("foo").lock();
        Instant before = leases.now();

        assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();

        assertThat(Duration.between(before, leases.now())).isBetween(ofMillis(200), ofMillis(400));
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aTaskThatIsNotLockedInTimeDoesNotRun() {
        othersRegistry.obtain("foo").lock();
        LockRegistry<?> general = registry;

        assertThatThrownBy(() -> general.executeLocked("foo", ofMillis(200), () -> {
                    throw new AssertionError("ran");
                }))
                .isInstanceOf(TimeoutException.class);
    }

    @Test
    void anInterruptEndsAWaitThatMayBeInterrupted() {
        othersRegistry.obtain("foo").lock();
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        Threads.Call<Boolean> waiting =
                Threads.begin(() -> lockAndUnlock(registry)).waits();
        waiting.thread().interrupt();

        assertThatThrownBy(waiting::result).hasRootCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void anInterruptedThreadLocksAndUnlocks() {
        Thread.currentThread().interrupt();

        lock.lock();
        assertThat(leases).holds("foo");
        lock.unlock();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(leases).isFree("foo");
    }

    @Test
    void theEndOfTheManagerEndsAWait() {
        LeaseManager others = leases.node("other").manager();
        lock.lock();
        Threads.Call<Boolean> waiting =
                Threads.begin(() -> lockAndUnlock(othersRegistry)).waits();

        var unused = others.closeAsync();

        assertThatThrownBy(waiting::result).isInstanceOf(LeaseException.class);
        lock.unlock();
    }
}
