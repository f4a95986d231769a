package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.EngineTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Closing a manager, as {@link LeaseManager#close()} specifies it. */
class CloseTest {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration RELEASES = Duration.ofSeconds(5);

    @RegisterExtension
    private final LogLines logs = new LogLines("io.leasekit.kernel.Shutdown");

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
    void afterItTheManagerCanBeOpenedAgain() {
        Lease before = here.acquire("key");
        CompletableFuture<Void> closed = close();
        ((EngineTable) here.leases).reopen(); // a start before the end of the last close
        Lease other = here.acquire("other");
        bench.advance(CLOSE_TIMEOUT);

        assertThat(closed).isCompleted();
        assertThat(before.lossReason()).contains(LeaseLossReason.CLOSED);
        assertThat(other.isValid()).isTrue();
        ((EngineTable) here.leases).reopen(); // it is open
        assertThat(here.leases.status().held()).isOne();
        other.close();
        assertThat(here.acquire("other").isValid()).isTrue();
    }

    @Test
    void whatFollowsItRunsWhereUserCodeMayBlockAndNotOnTheThreadThatEndsTheLastWait() {
        List<Runnable> callbacks = new ArrayList<>();
        Bench.Node node = bench.start(
                "node", builder -> builder.closeTimeout(CLOSE_TIMEOUT).callbackExecutor(callbacks::add));
        CompletableFuture<Optional<Lease>> held = node.acquiring("key");
        List.copyOf(callbacks).forEach(Runnable::run);
        assertThat(held).isCompleted();
        callbacks.clear();

        CompletableFuture<Void> closed = node.leases.closeAsync().toCompletableFuture();
        bench.advance(CLOSE_TIMEOUT);
        assertThat(closed).isNotDone(); // it would be completed by the timer
        callbacks.forEach(Runnable::run);

        assertThat(closed).isCompleted();
    }

    /** The queue of the key is in a step, which refuses another caller, when the work ends. */
    @Test
    void aReleaseThatIsYetToBeSentIsAwaited() {
        List<Runnable> onRefusal = new ArrayList<>();
        Bench.Node busy = bench.start(
                "busy",
                builder -> builder.listener(event -> {
                    if (event instanceof LeaseEvent.Unavailable) {
                        onRefusal.forEach(Runnable::run);
                    }
                }));
        Lease lease = busy.acquire("key");
        List<Boolean> isClosed = new ArrayList<>();
        onRefusal.add(() -> {
            CompletableFuture<Void> closed = busy.leases.closeAsync().toCompletableFuture();
            lease.releaseAsync();
            isClosed.add(closed.isDone());
            closed.thenRun(() -> isClosed.add(!busy.store.sent(RELEASE).isEmpty()));
        });

        busy.acquiring("key");

        assertThat(isClosed).containsExactly(false, true);
    }

    /** The caller to whom the lease is handed over is just being ended by the close. */
    @Test
    void aReleaseInPlaceOfAHandOverThatComesTooLateIsAwaited() {
        Lease lease = here.acquire("key");
        here.waiting("key").whenComplete((answer, failure) -> lease.releaseAsync());
        here.store.next(RELEASE, LOST);

        CompletableFuture<Void> closed = close();
        assertThat(closed).isNotDone();
        here.store.last(RELEASE).deliver();

        assertThat(closed).isCompleted();
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
    void aLeaseThatIsHandedOutWhileTheCloseStopsAnotherAcquireStaysItsHolders() {
        bench.start("other").acquire("taken");
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("taken").waitFor(Duration.ofMinutes(1)));
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request inFlight = here.store.last(ACQUIRE);
        CompletableFuture<?> stopped = waiting.whenComplete((never, stop) -> inFlight.deliver());

        CompletableFuture<Void> closed = close();

        assertThat(stopped).isCompletedExceptionally();
        Lease lease = acquiring.join().orElseThrow();
        bench.assertHeldFor(CLOSE_TIMEOUT.minusSeconds(1), lease);
        lease.close();
        assertThat(closed).isCompleted();
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

    /** An outage: the work has ended, and no release is ever answered. */
    @Test
    void aReleaseIsWaitedForSinceTheWorkHasEndedAndNotAgainSinceTheClose() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        lease.releaseAsync();
        bench.advance(RELEASES.minusSeconds(1));

        CompletableFuture<Void> closed = close();

        bench.advance(Duration.ofSeconds(1).minusNanos(1));
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(closed).isCompleted();
    }

    @Test
    void aReleaseThatHasFailedForLongerIsNotWaitedFor() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        lease.releaseAsync();
        bench.advance(RELEASES.plusSeconds(1));

        assertThat(close()).isCompleted();
    }

    @Test
    void aCloseTimeoutThatIsShorterBoundsTheReleases() {
        Bench.Node brief = bench.start("brief", builder -> builder.closeTimeout(Duration.ofSeconds(2)));
        Lease first = brief.acquire("first");
        Lease second = brief.acquire("second");
        brief.store.always(LOST);
        CompletableFuture<Void> closed = brief.leases.closeAsync().toCompletableFuture();
        bench.advance(Duration.ofSeconds(1));
        first.releaseAsync();
        second.releaseAsync();

        bench.advance(Duration.ofSeconds(2).minusNanos(1));
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(closed).isCompleted();
    }

    /** The reply of a healthy table comes within this second. */
    @Test
    void releasesHaveASecondEvenWithoutACloseTimeout() {
        Bench.Node impatient = bench.start("impatient", builder -> builder.closeTimeout(Duration.ZERO));
        Lease lease = impatient.acquire("key");
        impatient.store.next(RELEASE, LOST);
        lease.releaseAsync();

        CompletableFuture<Void> closed = impatient.leases.closeAsync().toCompletableFuture();
        bench.advance(Duration.ofMillis(999));
        assertThat(closed).isNotDone();
        impatient.store.last(RELEASE).deliver();

        assertThat(closed).isCompleted();
    }

    /** A cancelled acquire releases what its request in flight may have written, from the timeout of that request on. */
    @Test
    void anAcquireThatWasGivenUpIsWaitedForSinceThen() {
        here.sample(2); // so an acquire writes at once
        here.store.always(LOST);
        here.acquiring("given up before").cancel(true);
        bench.advance(Duration.ofSeconds(1));
        here.acquiring("given up by the close");

        CompletableFuture<Void> closed = close();

        bench.advance(RELEASES.minusNanos(1));
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(closed).isCompleted();
    }

    @Test
    void theTimeoutOfAGivenUpRequestIsPartOfThatTime() {
        here.sample(2); // so the acquire writes at once
        here.store.always(LOST);
        here.acquiring("key").cancel(true);
        bench.advance(Duration.ofSeconds(3)); // its request has timed out, and its release has begun

        CompletableFuture<Void> closed = close();

        bench.advance(RELEASES.minusSeconds(3).minusNanos(1));
        assertThat(closed).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(closed).isCompleted();
    }

    @Test
    void aCloseWithoutItsReleasesSaysSoOnce() {
        for (String key : List.of("a", "b", "c", "d", "e")) {
            Lease lease = here.acquire(key);
            here.store.always(LOST);
            lease.releaseAsync();
            here.store.heal();
        }
        here.store.always(LOST);
        close();
        bench.advance(RELEASES);

        assertThat(logs.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Manager of owner 'here' is closed, and 5 releases are not confirmed: 'a', 'b', 'c' and 2"
                                + " more. The store has not answered in time. Such a lease expires with its ttl, or with its"
                                + " extension or hold");
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
