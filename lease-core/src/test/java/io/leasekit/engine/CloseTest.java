package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Closing a manager, as {@link LeaseManager#close()} specifies it. */
class CloseTest {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration RELEASES = Duration.ofSeconds(5);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.closeTimeout(CLOSE_TIMEOUT));
    private final Bench.Node other = bench.start("other");

    private CompletableFuture<Void> close() {
        return here.leases.closeAsync().toCompletableFuture();
    }

    @Test
    void withNothingHeldItIsDoneAtOnce() {
        here.acquire("key").close();

        assertThat(close()).isCompleted();
    }

    @Test
    void aClosedManagerAcquiresNothing() {
        close();

        assertThatThrownBy(() -> here.leases.tryAcquire("key"))
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessage("Lease manager of owner 'here' is closed");
        assertThat(here.leases.acquireAsync(LeaseRequest.of("key")))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseExactlyInstanceOf(LeaseException.class);
        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void whoWaitsForALeaseIsToldAtOnce() {
        other.acquire("key");
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(1)));

        CompletableFuture<Void> closed = close();

        assertThat(waiting)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessage("Lease manager of owner 'here' is closed");
        assertThat(closed).isCompleted();
    }

    @Test
    void whatAnAcquireUnderWayMayHaveWrittenIsReleased() {
        here.store.next(ACQUIRE, REPLY_LOST);
        here.acquiring("key");

        CompletableFuture<Void> closed = close();
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofSeconds(2));

        assertThat(closed).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    /** The manager is closed within the step that hands the lease out. */
    @Test
    void aLeaseThatHasJustBeenHandedOutStaysItsHolders() {
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        CompletableFuture<CompletableFuture<Void>> closing = acquiring.thenApply(lease -> close());
        here.store.last(ACQUIRE).deliver();

        Lease lease = acquiring.join().orElseThrow();
        bench.assertHeldFor(CLOSE_TIMEOUT.minusSeconds(1), lease);
        lease.close();

        assertThat(closing.join()).isCompleted();
    }

    @Test
    void leasesAreRenewedWhileTheirBodiesEnd() {
        Lease lease = here.acquire("key");

        CompletableFuture<Void> closed = close();
        bench.assertHeldFor(CLOSE_TIMEOUT.minusSeconds(1), lease);
        assertThat(closed).isNotDone();
        lease.close();

        assertThat(closed).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void eachLeaseIsReleasedAsItsBodyEnds() {
        Lease first = here.acquire("first");
        Lease second = here.acquire("second");
        CompletableFuture<Void> closed = close();

        first.close();
        assertThat(bench.isHeld("first")).isFalse();
        assertThat(bench.isHeld("second")).isTrue();
        assertThat(closed).isNotDone();
        second.close();

        assertThat(bench.isHeld("second")).isFalse();
        assertThat(closed).isCompleted();
    }

    @Test
    void aBodyThatOutlastsTheTimeoutGetsClosedAndItsLeaseEndsWithItsTtl() {
        Lease lease = here.acquire("key");
        CompletableFuture<Void> closed = close();

        bench.advance(CLOSE_TIMEOUT);

        assertThat(closed).isCompleted();
        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.CLOSED);
        assertThat(lease.isValid()).isFalse();
        assertThat(here.store.sent(RELEASE)).isEmpty();
        assertThat(other.tryAcquire("key"))
                .as("the body of the lease may still run")
                .isEmpty();
        here.store.verbs();
        bench.advance(Bench.TTL.plusSeconds(7));
        assertThat(here.store.verbs()).isEmpty();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aBodyThatEndsAfterTheTimeoutStillReleases() {
        Lease lease = here.acquire("key");
        close();
        bench.advance(CLOSE_TIMEOUT.plusSeconds(1));

        lease.close();

        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void oneReleaseThatFailsStopsNoOther() {
        Lease failing = here.acquire("failing");
        Lease second = here.acquire("second");
        Lease third = here.acquire("third");
        here.store.always("failing", refused("ProvisionedThroughputExceededException"));
        CompletableFuture<Void> closed = close();

        failing.releaseAsync();
        second.releaseAsync();
        third.releaseAsync();

        assertThat(bench.isHeld("second")).isFalse();
        assertThat(bench.isHeld("third")).isFalse();
        assertThat(closed).isNotDone();
        bench.advance(RELEASES.minusNanos(1));
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(closed).as("close is bounded in time").isCompleted();
    }

    @Test
    void releasesUnderWayAreWaitedFor() {
        Lease lease = here.acquire("key");
        here.store.next(RELEASE, LOST);
        lease.releaseAsync();

        CompletableFuture<Void> closed = close();
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofMillis(2_100));

        assertThat(closed).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aLeaseThatIsLostMeanwhileIsNotWaitedFor() {
        Lease lease = here.acquire("key");
        CompletableFuture<Void> closed = close();
        here.store.always(RENEW, LOST);

        bench.advance(Bench.TTL);

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);
        assertThat(closed).isCompleted();
    }

    @Test
    void theSecondTimeDoesNothing() {
        here.acquire("key");
        CompletableFuture<Void> first = close();
        bench.advance(Duration.ofSeconds(15));

        CompletableFuture<Void> second = close();
        bench.advance(Duration.ofSeconds(5));

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        here.leases.close();
    }
}
