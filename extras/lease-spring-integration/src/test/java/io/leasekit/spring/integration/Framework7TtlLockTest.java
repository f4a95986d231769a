package io.leasekit.spring.integration;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** Locks with a ttl of their own, by the interface of Spring Integration 7. */
@Timeout(600)
@ExtendWith(TestLeasesExtension.class)
class Framework7TtlLockTest {

    private TestLeases leases;
    private LeaseLockRegistry registry;
    private DistributedLock lock;

    @BeforeEach
    @SuppressWarnings("unchecked")
    void begin(TestLeases given) {
        leases = given;
        registry = new LeaseLockRegistry(leases.manager());
        LockRegistry<DistributedLock> general = registry;
        lock = general.obtain("foo");
    }

    @Test
    void aLockHasTheTtlOfItsCall() throws InterruptedException {
        lock.lock(ofSeconds(20));
        assertThat(registry.obtain("foo").lease().remaining()).isBetween(ofSeconds(19), ofSeconds(20));
        lock.unlock();

        assertThat(lock.tryLock(ofMillis(100), ofSeconds(30))).isTrue();
        assertThat(registry.obtain("foo").lease().remaining()).isBetween(ofSeconds(29), ofSeconds(30));
        lock.unlock();
    }

    @Test
    void heartbeatsKeepItBeyondTheTtl() {
        lock.lock(ofSeconds(20));

        leases.advance(ofHours(1));

        registry.renewLock("foo", ofSeconds(2));
        assertThat(leases).holds("foo");
        lock.unlock();
    }

    @Test
    void afterACrashItIsFreeAfterItsOwnTtl() throws InterruptedException {
        var other = leases.node("other");
        new LeaseLockRegistry(other.manager()).obtain("foo").lock(ofSeconds(5));
        other.crash();

        assertThat(lock.tryLock(ofSeconds(15), ofSeconds(20))).isTrue();

        lock.unlock();
    }

    @Test
    void aTryIsRefusedAfterItsWait() throws InterruptedException {
        leases.node("other").hold("foo");

        assertThat(lock.tryLock(ofMillis(100), ofSeconds(20))).isFalse();
    }

    @Test
    void aTtlThatNoRequestCanKeepIsRefusedAtTheCall() {
        assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(ofMillis(100)));
    }
}
