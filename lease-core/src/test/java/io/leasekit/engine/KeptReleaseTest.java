package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.records.ItemRun;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A hold that is chosen at the release. */
class KeptReleaseTest {

    private static final Duration HALF_MINUTE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration NANO = Duration.ofNanos(1);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    /** Cuts the releasing process off; returns the time from now until another one gets the key. */
    private Duration keptFor(String key) {
        here.store.always(LOST);
        long begun = bench.time.elapsed();
        while (bench.start("contender").tryAcquire(key).isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }
        return Duration.ofNanos(bench.time.elapsed() - begun);
    }

    /** Asserts that a hold ended 1 s early at most and 3 s late at most, as seen by a contender with a new clock. */
    private static void assertAbout(Duration expected, Duration actual) {
        assertThat(actual).isBetween(expected.minusSeconds(1), expected.plusSeconds(3));
    }

    @Test
    void theKeyIsKeptFromTheReleaseOn() {
        Lease lease = here.acquire("key");
        bench.advance(Duration.ofSeconds(7));

        lease.release(HALF_MINUTE);

        assertThat(lease.isValid()).isFalse();
        assertThat(here.tryAcquire("key")).as("callers of its process").isEmpty();
        assertThat(here.leases.find("key").orElseThrow().isKept()).isTrue();
        assertAbout(HALF_MINUTE, keptFor("key"));
    }

    @Test
    void aShortHoldIsExact() {
        here.acquire("key").release(SHORT);

        bench.advance(SHORT.minus(NANO));
        assertThat(other.tryAcquire("key")).isEmpty();
        bench.advance(NANO);

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"10, 0, 30, 30", "40, 0, 30, 40", "0, 10, 30, 30", "0, 40, 30, 40", "40, 0, 0, 40"})
    void theLaterOfTheRequestsEndAndTheReleasesCounts(long holdAtLeast, long cooldown, long keep, long expected) {
        Lease lease = here.acquire(LeaseRequest.of("key")
                .holdAtLeast(Duration.ofSeconds(holdAtLeast))
                .cooldown(Duration.ofSeconds(cooldown)));

        lease.release(Duration.ofSeconds(keep));

        assertAbout(Duration.ofSeconds(expected), keptFor("key"));
    }

    @Test
    void severalKeysAreKeptTogether() {
        here.acquire(LeaseRequest.ofAll("a", "b")).release(HALF_MINUTE);

        assertThat(other.tryAcquire("a")).isEmpty();
        assertAbout(HALF_MINUTE, keptFor("b"));
    }

    @Test
    void aReleaseThatKeepsTheKeyIsNotHandedOver() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");

        lease.release(SHORT);
        bench.advance(SHORT.minus(NANO));
        assertThat(next).isNotDone();
        bench.advance(NANO);

        assertThat(next).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void zeroIsAnOrdinaryRelease() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.verbs();

        lease.release(Duration.ZERO);

        assertThat(next).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(here.store.verbs()).as("handed over").containsExactly(ACQUIRE);
    }

    @Test
    void theFirstReleaseCounts() {
        Lease kept = here.acquire("kept");
        kept.release(HALF_MINUTE);
        kept.close();
        Lease freed = here.acquire("freed");
        freed.close();
        freed.release(HALF_MINUTE);

        assertThat(here.store.sent(RELEASE)).hasSize(2);
        assertThat(other.tryAcquire("kept")).isEmpty();
        assertThat(other.tryAcquire("freed")).isPresent();
    }

    @Test
    void aRunIsRecordedToo() {
        Lease lease = here.acquire("key");
        lease.recordRun(LeaseRunOutcome.FAILED);

        lease.release(SHORT);

        assertThat(ItemRun.of(bench.item("key").records())).isNotNull();
        assertThat(other.tryAcquire("key")).isEmpty();
    }

    @Test
    void aLostLeaseKeepsNobodyFromTheLeaseOfAnotherOwner() {
        Lease lost = here.acquire("key");
        here.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(7));
        Lease others = other.acquire("key");
        here.store.heal();

        lost.release(HALF_MINUTE);

        bench.assertHeldFor(Duration.ofSeconds(30), others);
        others.close();
        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void aNegativeTimeIsRefusedAndTheLeaseGoesOn() {
        Lease lease = here.acquire("key");

        assertThatThrownBy(() -> lease.release(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("keep is -1 s for lease key 'key', expected zero or more");

        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aTimeWithoutAnEndKeepsTheKeyFromThoseWhoObserveIt() {
        here.acquire("key").release(LeaseRequest.UNLIMITED);
        CompletableFuture<Optional<Lease>> waiting = other.waiting("key");

        bench.advance(Duration.ofMinutes(59));

        assertThat(waiting).isNotDone();
    }

    @Test
    void aTimeWithoutAnEndKeepsTheKey() {
        here.acquire("key").release(LeaseRequest.UNLIMITED);

        bench.advance(Duration.ofDays(365));

        assertThat(other.tryAcquire("key")).isEmpty();
    }
}
