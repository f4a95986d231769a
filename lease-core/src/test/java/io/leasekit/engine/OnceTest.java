package io.leasekit.engine;

import static io.leasekit.LeaseRunOutcome.FAILED;
import static io.leasekit.LeaseRunOutcome.RETRY;
import static io.leasekit.LeaseRunOutcome.SUCCEEDED;
import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.ReleaseMode;
import io.leasekit.records.ItemRun;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that is done is not granted again, a run that is not done is. The item shows the last run. */
class OnceTest {

    private static final LeaseRequest A = LeaseRequest.of("key").once("a", OnceOrder.GROWING);
    private static final LeaseRequest B = LeaseRequest.of("key").once("b", OnceOrder.GROWING);
    private static final LeaseRequest C = LeaseRequest.of("key").once("c", OnceOrder.GROWING);
    private static final Duration HOUR = Duration.ofHours(1);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private void run(LeaseRequest request, LeaseRunOutcome outcome) {
        Lease lease = here.acquire(request);
        bench.advance(Duration.ofSeconds(2));
        lease.recordRun(outcome);
        lease.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"SUCCEEDED", "FAILED"})
    void aRunThatIsDoneIsNotGrantedAgain(LeaseRunOutcome outcome) {
        run(B, outcome);

        assertThat(other.tryAcquire(B)).isEmpty();
        assertThat(here.tryAcquire(A)).as("an earlier run").isEmpty();
        assertThat(other.tryAcquire(C)).as("a later run").isPresent();
    }

    @Test
    void aRunThatIsToBeRetriedIsGrantedAgain() {
        run(A, SUCCEEDED);
        run(B, RETRY);

        assertThat(ItemRun.of(bench.item("key").records()).name()).isEqualTo("a");
        assertThat(other.tryAcquire(B)).isPresent();
    }

    @Test
    void aReleaseWithoutAWordLeavesTheRunOpen() {
        here.acquire(B).close();

        assertThat(ItemRun.of(bench.item("key").records())).isNull();
        assertThat(other.tryAcquire(B)).isPresent();
    }

    @Test
    void aRunThatIsDoneIsToldApartFromALeaseThatAnotherHolds() {
        run(B, SUCCEEDED);

        assertThatThrownBy(() -> other.leases.acquire(B))
                .isInstanceOfSatisfying(
                        LeaseAlreadyRanException.class,
                        e -> assertThat(e.shown().lastRun().name()).isEqualTo("b"))
                .hasMessageStartingWith("Run 'b' of lease 'key' is already done: the table shows LeaseRun[name='b'");
        assertThat(other.events).singleElement().isInstanceOfSatisfying(LeaseEvent.AlreadyRan.class, event -> {
            assertThat(event.run()).isEqualTo("b");
            assertThat(event.shown().lastRun().owner()).isEqualTo("here");
        });
    }

    @Test
    void itIsSoWhileALaterRunHoldsTheLease() {
        run(B, SUCCEEDED);
        here.acquire(C);

        assertThatThrownBy(() -> other.leases.acquire(B)).isInstanceOf(LeaseAlreadyRanException.class);
        assertThatThrownBy(() -> other.leases.acquire(C)).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void neitherExpiryNorObservationTakesTheLeaseOfADeadHolderForARunThatIsDone() {
        run(B, SUCCEEDED);
        here.acquire(C);
        here.store.always(LOST);
        other.tryAcquire(C);
        bench.advance(Duration.ofMinutes(1));

        assertThat(other.tryAcquire(B)).isEmpty();
        assertThat(other.store.sent(ACQUIRE))
                .allSatisfy(request -> assertThat(request.reply()).isInstanceOf(StoreReply.Refused.class));
        assertThat(other.tryAcquire(C)).isPresent();
    }

    @Test
    void anAcquireForARunAndItsReleaseAreOneWriteEach() {
        here.sample(2);

        run(B, SUCCEEDED);

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, RELEASE);
    }

    @Test
    void aWriteOfItsOwnInARefusalIsAGrant() {
        run(A, SUCCEEDED);
        here.store.next(ACQUIRE, RESENT);

        Lease lease = here.acquire(B);

        assertThat(lease.isValid()).isTrue();
        bench.assertCovered(lease);
    }

    // ---- waiting

    @Test
    void whoWaitsIsToldWhenTheRunIsDone() {
        Lease lease = here.acquire(B);
        CompletableFuture<Optional<Lease>> waiting = other.leases.acquireAsync(B.waitFor(HOUR));
        bench.advance(Duration.ofMinutes(5));
        assertThat(waiting).isNotDone();

        lease.recordRun(SUCCEEDED);
        lease.close();
        bench.advance(Duration.ofSeconds(2));

        assertThat(waiting).isCompletedWithValue(Optional.empty());
        assertThat(other.events).singleElement().isInstanceOf(LeaseEvent.AlreadyRan.class);
    }

    @ParameterizedTest
    @EnumSource
    void whoWaitsInTheSameProcessDoesNotRepeatARunWhoseReleaseHasYetToBeApplied(OnceOrder order) {
        LeaseRequest request = LeaseRequest.of("key").once("b", order);
        Lease lease = here.acquire(request);
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(request.waitFor(HOUR));
        here.store.next(RELEASE, LOST);

        lease.recordRun(SUCCEEDED);
        lease.releaseAsync();
        bench.advance(Duration.ofSeconds(10));

        assertThat(waiting).isCompletedWithValue(Optional.empty());
        assertThat(other.tryAcquire(request)).isEmpty();
    }

    @Test
    void whoWaitsGetsARunThatWasNotDone() {
        Lease lease = here.acquire(B);
        CompletableFuture<Optional<Lease>> waiting = other.leases.acquireAsync(B.waitFor(HOUR));
        bench.advance(Duration.ofMinutes(5));

        lease.recordRun(RETRY);
        lease.close();
        bench.advance(Duration.ofSeconds(2));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void whoWaitsGetsTheRunOfADeadHolderWithin8SecondsOfItsTtl() {
        here.acquire(B);
        CompletableFuture<Optional<Lease>> waiting = other.leases.acquireAsync(B.waitFor(HOUR));
        bench.advance(Duration.ofMinutes(5));

        here.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(8));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    // ---- losses

    @Test
    void aRunThatSucceededUnderALostLeaseIsDoneIfNobodyTookItSince() {
        Lease lease = here.acquire(B);
        here.store.always(LOST);
        bench.advance(Bench.TTL);
        here.store.heal();

        lease.recordRun(SUCCEEDED);
        lease.close();

        assertThat(other.tryAcquire(B)).isEmpty();
    }

    @Test
    void aRunThatSucceededUnderALeaseThatAnotherTookIsTheOthers() {
        Lease lease = here.acquire(B);
        here.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(7));
        Lease others = other.acquire(B);
        here.store.heal();

        lease.recordRun(SUCCEEDED);
        lease.close();

        assertThat(ItemRun.of(bench.item("key").records())).isNull();
        bench.assertHeldFor(Duration.ofSeconds(5), others);
    }

    @Test
    void aRunThatFailedUnderALostLeaseIsNotDone() {
        Lease lease = here.acquire(B);
        here.store.always(LOST);
        bench.advance(Bench.TTL);
        here.store.heal();

        lease.recordRun(FAILED);
        lease.close();

        assertThat(other.tryAcquire(B)).isPresent();
    }

    @Test
    void aRunThatFailedUnderALeaseThatIsOverIsNotDoneThoughNoTimerHasNoticedItsEnd() {
        Lease lease = here.acquire(B);
        here.machine.stop(Bench.TTL.multipliedBy(2));

        lease.recordRun(FAILED);
        lease.close();

        assertThat(other.tryAcquire(B)).isPresent();
    }

    // ---- records and their retention

    @Test
    void theItemAndAnEventTellOfTheRun() {
        run(B, SUCCEEDED);

        LeaseRun last = other.leases.find("key").orElseThrow().lastRun();
        assertThat(last.name()).isEqualTo("b");
        assertThat(last.owner()).isEqualTo("here");
        assertThat(last.outcome()).isEqualTo(SUCCEEDED);
        assertThat(last.duration()).isEqualTo(Duration.ofSeconds(2));
        assertThat(Duration.between(last.begunAt(), VirtualTime.START).abs()).isLessThan(Duration.ofMillis(1_500));
        assertThat(here.events)
                .filteredOn(LeaseEvent.Ran.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(LeaseEvent.Ran.class, ran -> {
                    assertThat(ran.run()).isEqualTo("b");
                    assertThat(ran.outcome()).isEqualTo(SUCCEEDED);
                    assertThat(ran.duration()).isEqualTo(Duration.ofSeconds(2));
                });
    }

    @Test
    void workWithoutARunIsRecordedWithoutAName() {
        run(B, SUCCEEDED);

        run(LeaseRequest.of("key"), FAILED);

        assertThat(ItemRun.of(bench.item("key").records()).name()).isEqualTo("b");
        assertThat(ItemRun.of(bench.item("key").records()).outcome()).isEqualTo(FAILED.name());
    }

    @Test
    void anItemThatTellsOfARunIsKeptForTheOnceRetention() {
        run(B, SUCCEEDED);
        assertKeptFor(Duration.ofDays(400));

        here.acquire(LeaseRequest.of("key")).close();
        assertKeptFor(Duration.ofDays(400));

        run(C, RETRY);
        assertKeptFor(Duration.ofDays(400));
    }

    @Test
    void theOnceRetentionIsASetting() {
        Bench.Node brief = bench.start("brief", builder -> builder.onceRetention(Duration.ofDays(30)));

        Lease lease = brief.acquire(B);
        lease.recordRun(SUCCEEDED);
        lease.close();

        assertKeptFor(Duration.ofDays(30));
    }

    private void assertKeptFor(Duration expected) {
        long left = bench.item("key").expiry() - bench.time.now().getEpochSecond();
        assertThat(left - expected.toSeconds()).isBetween(0L, 3L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deleteModeDeletesNoItemThatTellsOfARun(boolean forARun) {
        run(B, SUCCEEDED);
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));

        Lease lease = deleting.acquire(forARun ? C : LeaseRequest.of("key"));
        bench.advance(Duration.ofSeconds(6));
        lease.close();

        assertThat(ItemRun.of(bench.item("key").records()).name()).isEqualTo("b");
        assertKeptFor(Duration.ofDays(400));
    }

    @Test
    void whatAGivenUpAcquireLeavesIsKeptAsLongAsARunThatNobodySaw() {
        run(B, SUCCEEDED);
        other.sample(2);
        other.store.next(ACQUIRE, ScriptedStore.REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = other.acquiring("key");

        acquiring.cancel(true);
        bench.advance(Duration.ofSeconds(10));

        assertThat(bench.isHeld("key")).isFalse();
        assertKeptFor(Duration.ofDays(400).minusSeconds(8)); // released 2 s after it was sent
    }

    @Test
    void aHoldKeepsTheRun() {
        run(B.cooldown(Duration.ofMinutes(1)), SUCCEEDED);

        assertThat(bench.isHeld("key")).isTrue();
        assertThatThrownBy(() -> other.leases.acquire(B)).isInstanceOf(LeaseAlreadyRanException.class);
        assertThatThrownBy(() -> other.leases.acquire(C)).isInstanceOf(LeaseUnavailableException.class);
        bench.advance(Duration.ofMinutes(2));
        assertThat(other.tryAcquire(B)).isEmpty();
        assertThat(other.tryAcquire(C)).isPresent();
    }

    // ---- LeaseManager.run

    @Test
    void workThatEndsNormallyIsARunThatIsDone() {
        here.leases.run(B, lease -> {});

        assertThat(other.leases.tryCall(B, lease -> "again")).isEmpty();
        assertThat(other.leases.tryCall(C, lease -> "done")).contains("done");
        assertThat(ItemRun.of(bench.item("key").records()).name()).isEqualTo("c");
    }

    @Test
    void workThatFailsIsARunThatIsNotDone() {
        assertThatThrownBy(() -> here.leases.run(B, lease -> {
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");

        assertThat(other.tryAcquire(B)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aRunHasAName(String run) {
        assertThatThrownBy(() -> LeaseRequest.of("key").once(run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("once is '" + run + "' (" + run.length()
                        + " bytes of UTF-8) for lease key 'key', expected a text with a visible character and at most 1024"
                        + " bytes");
    }

    @Test
    void noLeaseIsAskedForByTheKeyOfARunItem() {
        assertThatThrownBy(() -> LeaseRequest.of("key#run=b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Lease key 'key#run=b' contains '#run=', which is reserved for the items of runs");
        assertThat(here.leases.find("key#run=b")).as("find is allowed").isEmpty();
    }

    @Test
    void theNameOfARunIsBounded() {
        assertThat(LeaseRequest.of("key").once("ä".repeat(512)).once()).hasSize(512);
        assertThatThrownBy(() -> LeaseRequest.of("key").once("ä".repeat(512) + "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1025 bytes");
    }

    @Test
    void theOnceRetentionIsNotShorterThanTheRetention() {
        LeaseManagerBuilder builder = LeaseManager.builder(bench.table).onceRetention(Duration.ofDays(6));

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("onceRetention is 6 d, expected at least the retention of 7 d");
        assertThat(List.of(LeaseManager.builder(bench.table)
                        .retention(Duration.ofDays(500))
                        .build()))
                .isNotEmpty();
    }
}
