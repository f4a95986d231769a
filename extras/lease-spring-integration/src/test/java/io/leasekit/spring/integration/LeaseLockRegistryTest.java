package io.leasekit.spring.integration;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.test.LeaseNode;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesExtension;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.integration.support.locks.LockRegistry;

/** Ownership, reentrancy and loss, in virtual time. */
@Tag("boot3")
@Timeout(600)
@ExtendWith(TestLeasesExtension.class)
class LeaseLockRegistryTest {

    private TestLeases leases;
    private LeaseManager here;
    private LeaseNode other;
    private LeaseLockRegistry registry;
    private LeaseLockRegistry othersRegistry;

    @BeforeEach
    void begin(TestLeases given) {
        leases = given;
        here = leases.manager();
        other = leases.node("other");
        registry = new LeaseLockRegistry(here);
        othersRegistry = new LeaseLockRegistry(other.manager());
    }

    @Test
    void aLockIsHeldUntilItIsUnlockedAndKeepsNothing() {
        LeaseRegistryLock lock = registry.obtain("foo");
        for (int i = 0; i < 10; i++) {
            lock.lock();
            assertThat(leases).holds("foo");
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
            assertThat(leases).isFree("foo");
        }
        registry.expireUnusedOlderThan(-1000);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aLockThatIsLockedIsNoUnusedOne() {
        registry.obtain("foo").lock();

        registry.expireUnusedOlderThan(-1000);

        assertThat(leases).holds("foo");
        assertThat(othersRegistry.obtain("foo").tryLock()).isFalse();
        registry.obtain("foo").unlock();
        assertThat(leases).isFree("foo");
    }

    @Test
    void itsThreadMayLockItAgain() throws InterruptedException {
        LeaseRegistryLock first = registry.obtain("foo");
        LeaseRegistryLock second = registry.obtain("foo");

        first.lock();
        second.lockInterruptibly();
        assertThat(second.tryLock()).isTrue();
        second.unlock();
        second.unlock();
        assertThat(leases).holds("foo");

        first.unlock();
        assertThat(leases).isFree("foo");
    }

    @Test
    void locksAreEqualWithinARegistryOnly() {
        LeaseRegistryLock lock = registry.obtain("foo");

        assertThat(registry.obtain("foo")).isEqualTo(lock).hasSameHashCodeAs(lock);
        assertThat(registry.obtain("bar")).isNotEqualTo(lock);
        assertThat(othersRegistry.obtain("foo")).isNotEqualTo(lock);
    }

    @Test
    void registriesOfOneManagerHaveTheSameLocks() {
        registry.obtain("foo").lock();

        LeaseRegistryLock lock = new LeaseLockRegistry(here).obtain("foo");

        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(leases).isFree("foo");
    }

    @Test
    void keysHaveLocksOfTheirOwn() throws InterruptedException {
        registry.obtain("foo").lockInterruptibly();
        registry.obtain("bar").lockInterruptibly();

        assertThat(leases).holds("foo").holds("bar");
        registry.obtain("bar").unlock();
        assertThat(leases).holds("foo").isFree("bar");
        registry.obtain("foo").unlock();
    }

    @Test
    void onlyTheOwnerMayUnlock() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();

        assertThatThrownBy(() -> Threads.call(() -> {
                    lock.unlock();
                    return null;
                }))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("expected a call by its owner, not by thread 'other-thread'");

        assertThat(leases).holds("foo");
        lock.unlock();
    }

    @Test
    void anUnlockTooManyIsRefused() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();
        lock.unlock();

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::lease).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aRefusedAttemptChangesNothing() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();
        Object shown = here.find("foo");

        assertThat(Threads.call(() -> registry.obtain("foo").tryLock())).isFalse();
        assertThat(othersRegistry.obtain("foo").tryLock()).isFalse();

        assertThat(here.find("foo")).isEqualTo(shown);
        lock.unlock();
    }

    @Test
    void aLockIsHeldForLongerThanItsTtl() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();

        leases.advance(ofMinutes(10));

        assertThat(othersRegistry.obtain("foo").tryLock()).isFalse();
        lock.unlock();
    }

    @Test
    void theLockOfACrashedNodeIsFreeAfterItsTtl() {
        LeaseRegistryLock others = othersRegistry.obtain("foo");
        others.lock();
        other.crash();
        assertThat(registry.obtain("foo").tryLock()).isFalse();

        leases.advance(ofMinutes(2));

        assertThat(registry.obtain("foo").tryLock()).isTrue();
        registry.obtain("foo").unlock();
    }

    @Test
    void aThreadThatIsGoneHoldsForTheHoldLimitOnly() {
        LeaseLockRegistry limited =
                new LeaseLockRegistry(here, key -> LeaseRequest.of(key).holdAtMost(ofMinutes(5)));
        Threads.call(() -> {
            limited.obtain("foo").lock();
            return null;
        });
        leases.advance(ofMinutes(4));
        assertThat(limited.obtain("foo").tryLock()).isFalse();

        leases.advance(ofMinutes(2));

        assertThat(limited.obtain("foo").tryLock()).isTrue();
        limited.obtain("foo").unlock();
    }

    @ParameterizedTest
    @EnumSource(
            value = LeaseLossReason.class,
            names = {"EXPIRED", "TAKEN", "REVOKED"})
    void aLossIsToldByTheLastUnlock(LeaseLossReason reason) {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();
        lock.lock();
        leases.lose("foo", reason);

        lock.unlock();
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasMessageContaining("'foo'")
                .cause()
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.reason()).isEqualTo(reason));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void theNextOwnerIsNotTouchedByTheUnlockOfALostLock() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();
        leases.lose("foo", LeaseLossReason.EXPIRED);
        leases.advance(ofSeconds(10)); // for others it ends later than for its holder
        LeaseRegistryLock others = othersRegistry.obtain("foo");
        assertThat(others.tryLock()).isTrue();

        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);

        assertThat(others.lease().isValid()).isTrue();
        others.unlock();
    }

    @Test
    void aLeaseThatWasClosedByHandIsToldByUnlock() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();
        lock.lease().close();

        assertThatThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasMessageContaining("was released");
    }

    @Test
    void aLostLockIsNotLockedAgainBeforeItIsUnlocked() {
        LeaseRegistryLock lock = registry.obtain("foo");
        lock.lock();
        leases.lose("foo", LeaseLossReason.EXPIRED);

        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);

        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void theOwnerRenews() {
        LeaseRegistryLock lock = registry.obtain("foo");
        assertThatThrownBy(() -> registry.renewLock("foo")).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();

        registry.renewLock("foo");
        registry.renewLock("foo", ofMinutes(1));
        assertThatThrownBy(() -> Threads.call(() -> {
                    registry.renewLock("foo");
                    return null;
                }))
                .isInstanceOf(IllegalMonitorStateException.class);

        leases.lose("foo", LeaseLossReason.REVOKED);
        assertThatThrownBy(() -> registry.renewLock("foo"))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    void aLockAndALeaseOfOneKeyExcludeEachOther() {
        try (Lease lease = here.acquire("foo")) {
            assertThat(registry.obtain("foo").tryLock()).isFalse();
            assertThat(lease.isValid()).isTrue();
        }
        registry.obtain("foo").lock();
        assertThat(other.manager().tryAcquire("foo")).isEmpty();
        registry.obtain("foo").unlock();
    }

    @Test
    void theRequestGivesPrefixAndSettings() {
        LeaseLockRegistry orders = new LeaseLockRegistry(
                here, key -> LeaseRequest.of("orders/" + key).ttl(ofSeconds(20)));
        LeaseRegistryLock lock = orders.obtain("foo");

        lock.lock();

        assertThat(leases).holds("orders/foo").doesNotHold("foo");
        assertThat(lock.lease().remaining()).isBetween(ofSeconds(19), ofSeconds(20));
        assertThat(lock.key()).isEqualTo("orders/foo");
        lock.unlock();
    }

    @Test
    void aKeyHasATextThatEachProcessSees() {
        UUID id = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");

        assertThat(registry.obtain(id).key()).isEqualTo(id.toString());
        assertThat(registry.obtain(42L).key()).isEqualTo("42");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.obtain(new Object()))
                .withMessage("Lock key is a java.lang.Object, expected a string, a number or a UUID: each process must"
                        + " see the same text");
        assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(null));
        assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(" "));
    }

    @Test
    void aFailingStoreIsNoRefusal() {
        leases.storeFails();

        assertThatThrownBy(() -> registry.obtain("foo").tryLock()).isInstanceOf(LeaseStoreException.class);

        leases.storeRecovers();
        assertThat(registry.obtain("foo").tryLock()).isTrue();
        registry.obtain("foo").unlock();
    }

    @Test
    void conditionsAreRefused() {
        assertThatThrownBy(registry.obtain("foo")::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void taskIsExecutedUnderTheLock() throws Exception {
        LockRegistry<?> general = registry;
        AtomicInteger calls = new AtomicInteger();

        general.executeLocked("foo", () -> {
            assertThat(leases).holds("foo");
            calls.incrementAndGet();
        });

        assertThat(leases).isFree("foo");
        assertThat(calls).hasValue(1);
    }
}
