package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.ElectionSettings;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.ProgressCodec;
import io.leasekit.records.ItemRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The request to stop: when a lease shows it, and what becomes of work that stops. */
class StopRequestTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration NANO = Duration.ofNanos(1);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.runHistory(5));
    private final Bench.Node other = bench.start("other", builder -> builder.runHistory(5));

    private static boolean isDone(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    @Test
    void aLeaseIsAskedToStopOnceItsManagerIs() {
        Lease lease = here.acquire("key");
        CompletionStage<Void> asked = lease.whenStopRequested();
        assertThat(lease.stopRequested()).isFalse();
        assertThat(isDone(asked)).isFalse();

        here.leases.requestStop();

        assertThat(lease.stopRequested()).isTrue();
        assertThat(isDone(asked)).isTrue();
        assertThat(isDone(lease.whenStopRequested())).isTrue();
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void leasesGrantedAfterTheRequestShowItFromTheBeginning() {
        here.leases.requestStop();

        Lease lease = here.acquire("key");

        assertThat(lease.stopRequested()).isTrue();
        assertThat(isDone(lease.whenStopRequested())).isTrue();
        assertThat(other.acquire("elsewhere").stopRequested()).isFalse();
    }

    @Test
    void aCloseAsksToStopBeforeItWaits() {
        Lease lease = here.acquire("key");

        CompletableFuture<Void> closed = here.leases.closeAsync().toCompletableFuture();

        assertThat(lease.stopRequested()).isTrue();
        assertThat(lease.isValid()).isTrue();
        assertThat(closed).isNotDone();
        var unused = lease.releaseAsync();
        assertThat(closed).isDone();
    }

    @Test
    void aLossAsksToStop() {
        Lease lease = here.acquire("key");
        CompletionStage<Void> asked = lease.whenStopRequested();
        here.store.always(LOST);

        bench.advance(lease.remaining().minus(NANO));
        assertThat(lease.stopRequested()).isFalse();
        bench.advance(NANO);

        assertThat(lease.stopRequested()).isTrue();
        assertThat(isDone(asked)).isTrue();
    }

    @Test
    void aLossThatTheTimerHasNotSeenYetAsksToStop() {
        Lease lease = here.acquire("key");

        here.machine.stop(Bench.TTL);

        assertThat(lease.stopRequested()).isTrue();
    }

    @Test
    void theHoldLimitAsksToStopAThirdOfTheTtlBefore() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(LIMIT));
        CompletionStage<Void> asked = lease.whenStopRequested();

        bench.advance(LIMIT.minus(Bench.TTL.dividedBy(3)).minus(NANO));
        assertThat(lease.stopRequested()).isFalse();
        assertThat(isDone(asked)).isFalse();
        bench.advance(NANO);

        assertThat(lease.stopRequested()).isTrue();
        assertThat(isDone(asked)).isTrue();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aHoldLimitBelowTheTtlAsksToStopAThirdOfItselfBefore() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(Duration.ofSeconds(3)));

        bench.advance(Duration.ofSeconds(2).minus(NANO));
        assertThat(lease.stopRequested()).isFalse();
        bench.advance(NANO);

        assertThat(lease.stopRequested()).isTrue();
    }

    @Test
    void aHoldLimitWhoseTimerIsLateAsksToStop() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(Duration.ofSeconds(3)));

        here.machine.stop(Duration.ofSeconds(2));

        assertThat(lease.stopRequested()).isTrue();
    }

    @Test
    void aReleasedLeaseIsNotAskedToStop() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(LIMIT));
        CompletionStage<Void> asked = lease.whenStopRequested();
        lease.close();

        bench.advance(LIMIT);
        here.leases.requestStop();

        assertThat(lease.stopRequested()).isFalse();
        assertThat(isDone(asked)).isFalse();
    }

    @Test
    void aRequestOutlivesTheRelease() {
        Lease lease = here.acquire("key");
        here.leases.requestStop();

        lease.close();

        assertThat(lease.stopRequested()).isTrue();
    }

    @Test
    void theStageOfOneCallerIsNotThatOfAnother() {
        Lease lease = here.acquire("key");
        CompletionStage<Void> asked = lease.whenStopRequested();

        lease.whenStopRequested().toCompletableFuture().cancel(true);
        assertThat(lease.stopRequested()).isFalse();
        here.leases.requestStop();

        assertThat(asked.toCompletableFuture()).isCompletedWithValue(null);
    }

    @Test
    void dependentsRunOnTheThreadsOfLosses() {
        List<Runnable> tasks = new ArrayList<>();
        Bench.Node node = bench.start("node", builder -> ((EngineBuilder) builder).losses(tasks::add));
        CompletionStage<Void> asked = node.acquire("key").whenStopRequested();

        node.leases.requestStop();
        assertThat(isDone(asked)).isFalse();
        tasks.forEach(Runnable::run);

        assertThat(isDone(asked)).isTrue();
    }

    @Test
    void aStoppedRunIsNotDoneAndKeepsItsProgressForTheNextOwner() {
        LeaseRequest run =
                LeaseRequest.of("import").once("1", OnceOrder.GROWING).resumable();
        Lease lease = here.acquire(run);
        lease.progress(ProgressCodec.text()).note("line 50");
        here.leases.requestStop();

        lease.recordRun(LeaseRunOutcome.STOPPED);
        lease.close();

        Lease next = other.acquire(run);
        assertThat(next.progress(ProgressCodec.text()).last()).contains("line 50");
        assertThat(ItemRun.of(bench.item("import").records())).isNull();
        assertThat(other.leases.history("import"))
                .first()
                .extracting(LeasePastRun::outcome, LeasePastRun::error)
                .containsExactly(LeaseRunOutcome.STOPPED, null);
        assertThat(here.events)
                .filteredOn(LeaseEvent.Ran.class::isInstance)
                .singleElement()
                .matches(ran -> ((LeaseEvent.Ran) ran).outcome() == LeaseRunOutcome.STOPPED);
    }

    @Test
    void aStoppedRunKeepsNobodyFromGoingOn() {
        LeaseRequest held = LeaseRequest.of("key").holdAtLeast(LIMIT).cooldown(LIMIT);
        Lease lease = here.acquire(held);

        lease.recordRun(LeaseRunOutcome.STOPPED);
        lease.close();

        assertThat(here.store.sent(RELEASE)).hasSize(1);
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aStoppedRunKeepsOthersOutIfItsReleaseSaysSo() {
        Lease lease = here.acquire("key");

        lease.recordRun(LeaseRunOutcome.STOPPED);
        lease.release(LIMIT);

        assertThat(other.tryAcquire("key")).isEmpty();
    }

    @Test
    void aWaiterGetsTheLeaseOfAStoppedRunAtItsNextLook() {
        LeaseRequest run =
                LeaseRequest.of("import").once("1", OnceOrder.GROWING).resumable();
        Lease lease = here.acquire(run);
        CompletableFuture<Optional<Lease>> waiting = other.leases.acquireAsync(run.waitFor(LeaseRequest.UNLIMITED));
        bench.advance(Duration.ofSeconds(20));

        here.leases.requestStop();
        lease.recordRun(LeaseRunOutcome.STOPPED);
        var unused = lease.releaseAsync();
        bench.advance(Duration.ofSeconds(2));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void electionsEndWithTheRequest() {
        here.leases.requestStop();

        assertThatThrownBy(() -> here.leases.elect(LeaseRequest.of("key"), ElectionSettings.defaults(), lease -> {}))
                .isInstanceOf(LeaseException.class);
    }
}
