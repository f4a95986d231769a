package io.leasekit.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ShedLock's contract of a lock provider, in virtual time. */
class LeaseLockProviderTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration TAKE_OVER = Duration.ofSeconds(6); // after the end of a dead holder's lease

    private final TestLeases leases = TestLeases.create();
    private final LockProvider here = provider(leases.manager());
    private final LockProvider there = provider(leases.node("other").manager());

    private LockProvider provider(LeaseManager manager) {
        return new LeaseLockProvider(manager, "app/", this::nanoTime);
    }

    private long nanoTime() {
        return Duration.between(Instant.EPOCH, leases.now()).toNanos();
    }

    private static LockConfiguration lock(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), name, atMost, atLeast);
    }

    private static Optional<SimpleLock> lock(LockProvider provider) {
        return provider.lock(lock("job", LONG, Duration.ZERO));
    }

    private static SimpleLock lock(LockProvider provider, Duration atMost, Duration atLeast) {
        return provider.lock(lock("job", atMost, atLeast)).orElseThrow();
    }

    /** Asserts that this node gets the lock for the first time within a second of this time from now. */
    private void assertFreeFor(LockProvider provider, Duration earliest, Duration latest) {
        leases.advance(earliest);
        assertThat(lock(provider)).as("before").isEmpty();
        leases.advance(latest.minus(earliest));
        assertThat(lock(provider)).as("after").isPresent();
    }

    @Test
    void oneOwnerAtATimeHasTheLock() {
        SimpleLock lock = lock(here).orElseThrow();

        assertThat(lock(there)).isEmpty();
        assertThat(lock(here)).as("not reentrant").isEmpty();

        lock.unlock();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void locksOfDifferentNamesAreIndependent() {
        assertThat(lock(here)).isPresent();

        assertThat(there.lock(lock("other job", LONG, Duration.ZERO))).isPresent();
    }

    @Test
    void theLockIsFreeRightAfterEachUnlock() {
        for (int i = 0; i < 10; i++) {
            SimpleLock lock = lock(i % 2 == 0 ? here : there).orElseThrow();
            assertThat(lock(i % 2 == 0 ? there : here)).isEmpty();
            lock.unlock();
        }
    }

    @Test
    void aSecondUnlockIsRefused() {
        SimpleLock lock = lock(here).orElseThrow();
        lock.unlock();

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theKeyIsTheNameAfterThePrefix() {
        assertThat(lock(here)).isPresent();

        assertThat(leases.manager().tryAcquire("app/job")).isEmpty();
        assertThat(leases.manager().tryAcquire("job")).isPresent();
    }

    @Test
    void noHeartbeatRenewsTheLock() {
        assertThat(lock(here)).isPresent();
        LeaseInfo before = leases.manager().find("app/job").orElseThrow();
        leases.advance(LONG.minusSeconds(10));

        assertThat(leases.manager().find("app/job").orElseThrow().expiresAt()).isEqualTo(before.expiresAt());
        assertThat(lock(there)).isEmpty();
    }

    @Test
    void aLockWhoseHolderIsDeadEndsWithLockAtMostFor() {
        lock(here, Duration.ofSeconds(30), Duration.ZERO);

        assertFreeFor(there, Duration.ofSeconds(29), Duration.ofSeconds(30).plus(TAKE_OVER));
    }

    @Test
    void lockAtMostForEndsAlsoTheLockOfARunThatIsStillAtWork() {
        SimpleLock lock = lock(here, Duration.ofSeconds(30), Duration.ZERO);
        leases.advance(Duration.ofSeconds(30).plus(TAKE_OVER));
        SimpleLock next = lock(there).orElseThrow();

        lock.unlock(); // does not free the other owner's lock

        assertThat(lock(here)).isEmpty();
        next.unlock();
        assertThat(lock(here)).isPresent();
    }

    @Test
    void aShortLockAtLeastForIsExact() {
        lock(here, Duration.ofSeconds(4), Duration.ofSeconds(2)).unlock();

        assertFreeFor(there, Duration.ofMillis(1_999), Duration.ofMillis(2_001));
    }

    @Test
    void aLockAtLeastForIsKeptBetween1sLessAnd2sMore() {
        lock(here, LONG, Duration.ofSeconds(60)).unlock();

        assertFreeFor(there, Duration.ofSeconds(59), Duration.ofSeconds(62));
    }

    @Test
    void afterLockAtLeastForTheUnlockFreesAtOnce() {
        SimpleLock lock = lock(here, LONG, Duration.ofSeconds(60));
        leases.advance(Duration.ofSeconds(60));
        lock.unlock();

        assertThat(lock(there)).isPresent();
    }

    @Test
    void anExtensionMovesTheEnd() {
        SimpleLock lock = lock(here, Duration.ofSeconds(2), Duration.ZERO);
        for (int i = 0; i < 3; i++) {
            lock = lock.extend(Duration.ofSeconds(20), Duration.ZERO).orElseThrow();
        }
        leases.advance(Duration.ofSeconds(19));
        assertThat(lock(there)).isEmpty();

        lock.unlock();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void theUnlockOfAnExtendedLockKeepsItForTheNewLockAtLeastFor() {
        SimpleLock lock = lock(here, LONG, Duration.ZERO);
        leases.advance(Duration.ofSeconds(100));
        SimpleLock extended = lock.extend(LONG, Duration.ofSeconds(60)).orElseThrow();
        leases.advance(Duration.ofSeconds(20));
        extended.unlock();

        assertFreeFor(there, Duration.ofSeconds(39), Duration.ofSeconds(42));
    }

    @Test
    void anExtensionShortensNoLockAtLeastFor() {
        SimpleLock lock = lock(here, LONG, Duration.ofSeconds(60));
        lock.extend(LONG, Duration.ZERO).orElseThrow().unlock();

        assertFreeFor(there, Duration.ofSeconds(59), Duration.ofSeconds(62));
    }

    @Test
    void anExtensionShortensNoLockAtLeastForOfAnEarlierOne() {
        SimpleLock lock = lock(here, LONG, Duration.ZERO);
        SimpleLock first = lock.extend(LONG, Duration.ofSeconds(60)).orElseThrow();
        leases.advance(Duration.ofSeconds(20));
        first.extend(LONG, Duration.ZERO).orElseThrow().unlock();

        assertFreeFor(there, Duration.ofSeconds(39), Duration.ofSeconds(42));
    }

    @Test
    void aLockIsReplacedByItsExtension() {
        SimpleLock lock = lock(here).orElseThrow();
        assertThat(lock.extend(LONG, Duration.ZERO)).isPresent();

        assertThatThrownBy(() -> lock.extend(LONG, Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anUnlockedLockIsNotExtended() {
        SimpleLock lock = lock(here).orElseThrow();
        lock.unlock();

        assertThatThrownBy(() -> lock.extend(LONG, Duration.ZERO)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anExpiredLockIsNotExtended() {
        SimpleLock lock = lock(here, Duration.ofSeconds(2), Duration.ZERO);
        leases.advance(Duration.ofSeconds(2));

        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
        leases.advance(TAKE_OVER);
        assertThat(lock(there)).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"0, 0 s", "50, 50 ms", "1999, 1.999 s"})
    void aLockAtMostForBelow2sIsRefusedWithTheNameOfTheLock(long millis, String inWords) {
        Duration tooShort = Duration.ofMillis(millis);
        assertThatThrownBy(() -> here.lock(lock("job", tooShort, Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lockAtMostFor of lock 'job' is " + inWords
                        + ", expected at least 2 s, the shortest ttl of a lease");

        SimpleLock lock = lock(here).orElseThrow();
        assertThatThrownBy(() -> lock.extend(tooShort, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'job'");
        lock.unlock(); // still held
    }

    @Test
    void aStoreThatIsAwayIsAnExceptionAndNotALockHeldElsewhere() {
        leases.storeFails();

        assertThatThrownBy(() -> lock(here)).isInstanceOf(LeaseStoreException.class);
    }

    @Test
    void anExtensionThatTheStoreDoesNotConfirmLeavesTheLockHeld() {
        SimpleLock lock = lock(here).orElseThrow();
        leases.storeFails();
        assertThatThrownBy(() -> lock.extend(LONG, Duration.ZERO)).isInstanceOf(LeaseStoreException.class);
        leases.storeRecovers();

        assertThat(lock(there)).isEmpty();
        lock.unlock();
        assertThat(lock(there)).isPresent();
    }

    @Test
    void anUnlockWhileTheStoreIsAwayDoesNotFailAndIsRetried() {
        SimpleLock lock = lock(here).orElseThrow();
        leases.storeFails();
        lock.unlock();
        leases.storeRecovers();
        leases.advance(Duration.ofSeconds(30));

        assertThat(lock(there)).isPresent();
    }
}
