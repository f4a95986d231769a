package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits for a free key, in virtual time that moves while the test's thread waits. */
@Timeout(600)
class AwaitFreeTest {

    private final Bench bench = new Bench();
    private final Bench.Node here =
            bench.start("here", builder -> ((EngineBuilder) builder).time(new MovingTime(bench)));
    private final Bench.Node other = bench.start("other");

    private boolean awaitFree(Duration timeout) {
        return here.leases.awaitFree("key", timeout);
    }

    private void in(Duration delay, Runnable task) {
        bench.time.schedule(delay.toNanos(), task);
    }

    @Test
    void aFreeKeyIsNotWaitedForAndNothingIsAcquired() {
        assertThat(awaitFree(Duration.ofMinutes(1))).isTrue();

        assertThat(bench.time.elapsed()).isZero();
        assertThat(here.store.sent(READ)).hasSize(1);
        assertThat(here.store.sent(ACQUIRE)).isEmpty();
    }

    @Test
    void theReleaseEndsTheWaitWithinASecond() {
        Lease theirs = other.acquire("key");
        in(Duration.ofSeconds(30), theirs::close);

        assertThat(awaitFree(Duration.ofMinutes(1))).isTrue();

        assertThat(Duration.ofNanos(bench.time.elapsed())).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(31));
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void theTimeoutEndsTheWaitAndTheReads() {
        other.acquire("key");

        assertThat(awaitFree(Duration.ofSeconds(3))).isFalse();

        assertThat(Duration.ofNanos(bench.time.elapsed())).isEqualTo(Duration.ofSeconds(3));
        int before = here.store.sent(READ).size();
        bench.advance(Duration.ofMinutes(1));
        assertThat(here.store.sent(READ)).hasSize(before);
    }

    @Test
    void withoutATimeLimitOfItsOwnItLooksOnce() {
        Lease theirs = other.acquire("key");
        assertThat(awaitFree(Duration.ZERO)).isFalse();

        theirs.close();

        assertThat(awaitFree(Duration.ZERO)).isTrue();
        assertThat(here.store.sent(READ)).hasSize(2);
    }

    /** A state that another watch was shown before does not count. */
    @Test
    void eachWaitReadsAfterItsBegin() {
        here.leases.watch("key", state -> {});
        bench.advance(Duration.ofMinutes(1));
        other.acquire("key");

        assertThat(awaitFree(Duration.ZERO)).isFalse();
    }

    /** To the other watch, a holder without a token is unknown, because it may have come before the lease it has seen. */
    @Test
    void aHolderWithoutATokenIsNoFailedReadBesideAnotherWatch() {
        here.leases.watch("key", state -> {});
        other.acquire("key").close();
        bench.advance(Duration.ofSeconds(5));
        long expiry = bench.time.now().getEpochSecond() + 60;
        bench.table.put(new LeaseItem("key", "crate", expiry, null, null, "crate", null, null));

        assertThat(awaitFree(Duration.ZERO)).isFalse();
        assertThat(awaitFree(Duration.ofSeconds(10))).isFalse();
    }

    @Test
    void anInterruptEndsTheWaitAndTheReads() {
        other.acquire("key");
        in(Duration.ofSeconds(1), Thread.currentThread()::interrupt);

        assertThatThrownBy(() -> awaitFree(Duration.ofMinutes(1)))
                .isInstanceOf(LeaseInterruptedException.class)
                .hasMessage("Interrupted while waiting for a free lease 'key'");

        assertThat(Thread.interrupted()).isTrue();
        int before = here.store.sent(READ).size();
        bench.advance(Duration.ofMinutes(1));
        assertThat(here.store.sent(READ)).hasSize(before);
    }

    @Test
    void aKeyThatCannotBeReadIsAnErrorThatNamesTheReason() {
        here.store.always(READ, LOST);

        assertThatThrownBy(() -> awaitFree(Duration.ofSeconds(1)))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Lease 'key' in table 'scripted': No reply of table 'scripted' within 2 s;"
                        + " no read succeeded within 6 s");
    }

    @Test
    void theTimeoutMayBeLongerThanAnyTimer() {
        Lease theirs = other.acquire("key");
        in(Duration.ofSeconds(5), theirs::close);

        assertThat(awaitFree(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    }

    @Test
    void aManagerThatClosesEndsTheWait() {
        other.acquire("key");
        in(Duration.ofSeconds(1), () -> here.leases.closeAsync());

        assertThatThrownBy(() -> awaitFree(Duration.ofMinutes(1)))
                .isInstanceOf(LeaseException.class)
                .hasMessageStartingWith("Lease manager was closed");
    }
}
