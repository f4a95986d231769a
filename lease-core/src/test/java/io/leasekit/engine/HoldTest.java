package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.ReleaseMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds by {@code holdAtLeast} and {@code cooldown}, which need no live process. */
class HoldTest {

    private static final Duration HALF_MINUTE = Duration.ofSeconds(30);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    /** Releases the lease and cuts its process off; returns the time from the start until another one got the key. */
    private Duration heldUntil(Lease lease) {
        lease.close();
        here.store.always(LOST);
        while (bench.start("contender").tryAcquire("key").isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }
        return Duration.ofNanos(bench.time.elapsed());
    }

    /** Asserts that a hold ended 1 s early at most and 3 s late at most, as seen by a contender with a new clock. */
    private static void assertAbout(Duration expected, Duration actual) {
        assertThat(actual).isBetween(expected.minusSeconds(1), expected.plusSeconds(3));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 300, 700, 5_000})
    void holdAtLeastCountsFromTheAcquire(long heldMillis) {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(HALF_MINUTE));
        bench.advance(Duration.ofMillis(heldMillis));

        assertAbout(HALF_MINUTE, heldUntil(lease));
    }

    @Test
    void aBodyThatOutlastsHoldAtLeastFreesTheKey() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(HALF_MINUTE));
        bench.advance(HALF_MINUTE);

        lease.close();

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 5_500, 20_000})
    void cooldownCountsFromTheRelease(long heldMillis) {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(HALF_MINUTE));
        bench.advance(Duration.ofMillis(heldMillis));

        assertAbout(HALF_MINUTE.plusMillis(heldMillis), heldUntil(lease));
    }

    /** Nobody has worked under it, so nobody else should have to wait for its work. */
    @Test
    void aLeaseThatItsCallerNeverGetsKeepsNobody() {
        Bench.Node full = bench.start(
                "full",
                builder -> builder.callbackExecutor(task -> {
                    throw new RejectedExecutionException("full");
                }));
        LeaseRequest request = LeaseRequest.of("key").holdAtLeast(HALF_MINUTE).cooldown(Duration.ofMinutes(5));

        assertThat(full.leases.acquireAsync(request)).isCompletedExceptionally();

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aLeaseThatIsGrantedDuringACancelKeepsNobody() {
        List<Runnable> tasks = new ArrayList<>();
        Bench.Node busy = bench.start("busy", builder -> builder.callbackExecutor(tasks::add));
        CompletableFuture<Optional<Lease>> acquiring =
                busy.leases.acquireAsync(LeaseRequest.of("key").cooldown(Duration.ofMinutes(5)));

        acquiring.cancel(true);
        tasks.forEach(Runnable::run);

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void theLaterOfBothCounts() {
        Lease lease =
                here.acquire(LeaseRequest.of("key").holdAtLeast(HALF_MINUTE).cooldown(Duration.ofSeconds(10)));
        bench.advance(Duration.ofSeconds(25));

        assertAbout(Duration.ofSeconds(35), heldUntil(lease));
    }

    @Test
    void aShortHoldThatIsWrittenEndsNoEarlierThanItsToken() {
        Bench.Node frozen = bench.start("frozen", builder -> builder.releaseInBackground(false));
        Lease lease = frozen.acquire(LeaseRequest.of("key").holdAtLeast(Duration.ofMillis(500)));

        assertThat(heldUntil(lease)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
    }

    @Test
    void localCallersAreBoundByAHoldToo() {
        here.acquire(LeaseRequest.of("key").cooldown(HALF_MINUTE)).close();

        assertThat(here.tryAcquire("key")).isEmpty();
        bench.advance(Duration.ofSeconds(33));
        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void theHolderOfAHoldIsNobodysLease() {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(HALF_MINUTE));
        lease.close();

        assertThat(bench.item("key").version())
                .doesNotStartWith(((HeldLease) lease).tenure().toString());
        assertThat(lease.isValid()).isFalse();
        assertThat(here.leases.find("key")).hasValueSatisfying(info -> {
            assertThat(info.held()).isTrue();
            assertThat(info.owner()).isEqualTo("here");
            assertThat(info.fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(info.releasedAt()).isNotNull();
        });
    }

    @Test
    void aHoldThatIsObservedEndsNotBeforeItsTime() {
        here.acquire(LeaseRequest.of("key").cooldown(HALF_MINUTE)).close();
        Duration begun = Duration.ofNanos(bench.time.elapsed());

        while (other.tryAcquire("key").isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }

        assertAbout(begun.plus(HALF_MINUTE), Duration.ofNanos(bench.time.elapsed()));
    }

    @Test
    void aHoldWhoseReplyIsLostIsTriedAgainAndEndsAtTheSameTime() {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(HALF_MINUTE));
        here.store.next(RELEASE, LOST);
        lease.releaseAsync();
        bench.advance(Duration.ofSeconds(3));

        assertAbout(HALF_MINUTE, heldUntil(lease));
    }

    @Test
    void aHoldWhoseWriteIsLostKeepsTheCallersOfItsProcessAwayToo() {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(HALF_MINUTE));
        here.store.always(RELEASE, LOST);
        lease.releaseAsync();

        assertThat(here.leases.acquireAsync(LeaseRequest.ofAll("key", "another")))
                .as("a lease of several keys, in no queue")
                .satisfies(both -> {
                    bench.advance(Duration.ofSeconds(3));
                    assertThat(both).isCompletedWithValue(Optional.empty());
                });
        assertThat(here.tryAcquire("key")).isEmpty();

        bench.advance(Bench.TTL.plusSeconds(7));
        assertThat(here.tryAcquire("key")).as("its lease has expired").isPresent();
    }

    @Test
    void deleteModeKeepsAHold() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        Lease lease = deleting.acquire(LeaseRequest.of("key").holdAtLeast(HALF_MINUTE));
        bench.advance(Duration.ofSeconds(10));

        lease.close();

        assertThat(other.tryAcquire("key")).isEmpty();
    }
}
