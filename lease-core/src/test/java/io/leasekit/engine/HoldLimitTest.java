package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.AcquireCommand;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit {@code holdAtMost} is a hard end for the holder, and others need not wait a ttl longer (protocol 4.1). */
class HoldLimitTest {

    private static final Duration HALF_MINUTE = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG_TTL = Duration.ofSeconds(20);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private Duration untilAnotherGetsIt() {
        long begun = bench.time.elapsed();
        while (other.tryAcquire("key").isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }
        return Duration.ofNanos(bench.time.elapsed() - begun);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 300, 500, 999})
    void othersNeedNotWaitATtlLonger(long millis) {
        bench.advance(Duration.ofMillis(millis));
        here.sample(2);
        other.sample(2);
        Lease lease = here.acquire(LeaseRequest.of("key").ttl(LONG_TTL).holdAtMost(SECOND));
        here.store.always(LOST); // it ends whether or not its process lives

        Duration waited = untilAnotherGetsIt();

        assertThat(waited).isBetween(Duration.ofMillis(1_000), Duration.ofMillis(5_500));
        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.HOLD_LIMIT);
    }

    @Test
    void aWaiterThatObservesTheLeaseGetsItSoonAfterItsLimit() {
        CompletableFuture<Optional<Lease>> waiting;
        here.acquire(LeaseRequest.of("key").ttl(LONG_TTL).holdAtMost(SECOND));
        waiting = other.waiting("key");

        bench.advance(Duration.ofMillis(1_000));
        assertThat(waiting).isNotDone();
        bench.advance(Duration.ofMillis(1_000));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void eachWriteTellsObserversNoLessThanTheHolderClaims() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(Duration.ofSeconds(13)));
        for (int tenth = 0; tenth < 130; tenth++) {
            Duration claimed = lease.remaining();
            bench.assertCovered(lease);
            assertThat(Duration.ofMillis(bench.item("key").durationMillis()))
                    .as("at %d", tenth)
                    .isGreaterThanOrEqualTo(claimed);
            bench.advance(Duration.ofMillis(100));
        }

        assertThat(lease.isValid()).isFalse();
        assertThat(here.store.sent(RENEW)).isNotEmpty();
        assertThat(bench.item("key").expiry() - bench.time.now().getEpochSecond())
                .as("not a ttl longer")
                .isLessThan(4);
    }

    @Test
    void theDurationOfAnAcquireIsTheLimitIfThatIsShorter() {
        here.acquire(LeaseRequest.of("short").holdAtMost(SECOND));
        assertThat(((AcquireCommand) here.store.last(ACQUIRE).command).durationMillis())
                .isBetween(1_001L, 1_010L);

        here.acquire(LeaseRequest.of("long").holdAtMost(HALF_MINUTE));
        assertThat(((AcquireCommand) here.store.last(ACQUIRE).command).durationMillis())
                .isEqualTo(10_000);
    }

    @Test
    void noLeaseIsValidBeyondItsLimitThoughItsTimerIsLate() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(SECOND));
        assertThat(lease.remaining()).isEqualTo(SECOND);

        here.machine.stop(SECOND);

        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::conditionCheck)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(LeaseLossReason.HOLD_LIMIT));
    }

    @Test
    void atItsHoldLimitALeaseIsLostAndNeverAtRisk() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(HALF_MINUTE));

        bench.advance(HALF_MINUTE.minusNanos(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(here.leases.status().overdue()).isZero();
        bench.advance(Duration.ofNanos(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.HOLD_LIMIT);
        assertThat(here.events).noneMatch(LeaseEvent.AtRisk.class::isInstance);
    }

    @Test
    void afterTheHoldLimitNothingIsRenewedOrReleased() {
        here.acquire(LeaseRequest.of("key").holdAtMost(HALF_MINUTE));
        bench.advance(HALF_MINUTE);
        assertThat(other.tryAcquire("key")).as("clocks differ").isEmpty();
        here.store.verbs();

        bench.advance(Duration.ofSeconds(7));

        assertThat(here.store.verbs()).isEmpty();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aHoldLimitBelowTheHeartbeatNeedsNoRenewal() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(SECOND));

        bench.advance(SECOND);

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.HOLD_LIMIT);
        assertThat(here.store.sent(RENEW)).isEmpty();
    }

    @Test
    void theTimeOfASuspendCounts() {
        LeaseRequest request = LeaseRequest.of("key").ttl(LONG_TTL).heartbeatInterval(SECOND);
        Lease lease = here.acquire(request.holdAtMost(HALF_MINUTE));

        for (int suspends = 0; suspends < 4; suspends++) {
            here.machine.suspend(Duration.ofSeconds(10));
            bench.advance(Duration.ofSeconds(3));
        }

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.HOLD_LIMIT);
        assertThat(here.store.sent(RENEW)).hasSizeGreaterThan(2);
    }

    @Test
    void betterBoundsOfTheClockAfterASuspendMoveNoEndBack() {
        LeaseRequest request = LeaseRequest.of("key").ttl(LONG_TTL).heartbeatInterval(SECOND);
        Lease lease = here.acquire(request.holdAtMost(Duration.ofSeconds(20)));
        here.machine.suspend(Duration.ofSeconds(10));
        lease.ensureValid();
        long end = bench.time.elapsed() + lease.remaining().toNanos();

        for (int tenths = 0; tenths < 30; tenths++) {
            bench.advance(Duration.ofMillis(100));
            here.sample(1); // each reply may show DynamoDB's time more exactly
            assertThat(bench.time.elapsed() + lease.remaining().toNanos()).isEqualTo(end);
        }
    }

    @Test
    void anOutageBeforeTheHoldLimitIsAnExpiry() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(HALF_MINUTE));
        here.store.always(LOST);

        bench.advance(HALF_MINUTE);

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);
    }

    // ---- before it is handed out

    private ScriptedStore.Request granted;

    private CompletableFuture<Optional<Lease>> acquireAnsweredAfter(Duration limit, Duration trip) {
        here.sample(2);
        here.store.next(ACQUIRE, request -> granted = request);
        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("key").holdAtMost(limit));
        bench.advance(trip);
        granted.deliver();
        return acquiring;
    }

    @Test
    void aGrantWithHalfOfItsLimitLeftIsHandedOutAtOnce() {
        CompletableFuture<Optional<Lease>> acquiring =
                acquireAnsweredAfter(Duration.ofSeconds(2), Duration.ofMillis(900));

        assertThat(acquiring).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(here.store.sent(RENEW)).isEmpty();
    }

    @Test
    void aLeaseThatIsOverBeforeItIsHandedOutIsNotHandedOutAndNobodyHearsOfIt() {
        CompletableFuture<Optional<Lease>> acquiring =
                acquireAnsweredAfter(Duration.ofSeconds(1), Duration.ofMillis(1_200));
        bench.advance(Duration.ofSeconds(3));

        assertThatThrownBy(acquiring::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LeaseStoreException.class)
                .hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(here.events).isEmpty();
        assertThat(here.leases.held()).isEmpty();
        assertThat(bench.isHeld("key")).as("it was released").isFalse();
    }

    @Test
    void aLossBeforeTheHandOutIsNoEvent() {
        here.store.always(RENEW, LOST);
        CompletableFuture<Optional<Lease>> acquiring =
                acquireAnsweredAfter(Duration.ofMillis(1_500), Duration.ofMillis(1_000)); // to be renewed first
        assertThat(acquiring).isNotDone();
        bench.advance(Duration.ofSeconds(1));

        assertThat(acquiring).isCompletedExceptionally();
        assertThat(here.events).noneMatch(LeaseEvent.Lost.class::isInstance);
        assertThat(here.events).noneMatch(LeaseEvent.Acquired.class::isInstance);
    }
}
