package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.MARK;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.ReleaseMode;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hand-over of a lease to the next caller of a process in one write, and its failures (protocol 6). */
class HandOverTest {

    private static final int RUN = 16;

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    // ---- ambiguities

    @Test
    void aHandOverWhoseReplyWasLostIsTriedAgainOnTopOfItself() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.next(ACQUIRE, REPLY_LOST);

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        assertThat(released).isNotDone();
        bench.advance(Duration.ofSeconds(3));

        assertThat(released).isCompleted();
        bench.assertHeldFor(Duration.ofSeconds(20), next.join().orElseThrow());
    }

    @Test
    void aHandOverThatWasLostIsTriedAgainOnTopOfThePredecessor() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.next(ACQUIRE, LOST);

        lease.releaseAsync();
        bench.advance(Duration.ofSeconds(3));

        bench.assertHeldFor(Duration.ofSeconds(20), next.join().orElseThrow());
    }

    @Test
    void aLateRenewalOfThePredecessorIsOverwrittenToo() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.next(RENEW, LOST);
        bench.advance(Bench.TTL.dividedBy(3));
        ScriptedStore.Request renewal = here.store.last(RENEW);
        here.store.next(ACQUIRE, request -> {
            renewal.apply();
            request.deliver();
        });

        lease.close();

        bench.assertHeldFor(Duration.ofSeconds(20), next.join().orElseThrow());
    }

    @Test
    void aRenewalOfThePredecessorThatComesAfterwardsChangesNothing() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.next(RENEW, LOST);
        bench.advance(Bench.TTL.dividedBy(3));
        lease.close();

        assertThat(here.store.last(RENEW).apply()).isInstanceOf(StoreReply.Refused.class);

        bench.assertHeldFor(Duration.ofSeconds(20), next.join().orElseThrow());
    }

    @Test
    void aHandOverIsRefusedOnceAnotherHasTakenTheLease() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        bench.table.put(new LeaseItem(
                "key",
                "7d3ad6a8-13d8-4a24-a1b5-6b5d4ab0dbb8-00000001",
                bench.time.now().getEpochSecond() + 30,
                10_000L,
                lease.fencingToken() + 1,
                "thief",
                null,
                null));

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();

        assertThat(released).isCompleted(); // nothing is left to release
        assertThat(next).isNotDone();
        assertThat(bench.item("key").owner()).isEqualTo("thief");
        bench.advance(Duration.ofSeconds(40));
        assertThat(next.join()).isPresent();
    }

    @Test
    void aHandOverThatIsGivenUpBeforeItsReplyReleasesBoth() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.next(ACQUIRE, LOST); // the table keeps the predecessor's version
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        next.cancel(true);

        bench.advance(Duration.ofSeconds(2));

        assertThat(released).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aHandOverThatIsGivenUpThoughItWasAppliedReleasesBoth() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.next(ACQUIRE, REPLY_LOST); // the table has the successor's version
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        next.cancel(true);

        bench.advance(Duration.ofSeconds(2));

        assertThat(released).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void whoComesAfterAHandOverThatWasGivenUpWaitsForItsRelease() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        CompletableFuture<Optional<Lease>> third = here.waiting("key");
        here.store.next(ACQUIRE, LOST);
        lease.releaseAsync();
        next.cancel(true);
        here.store.verbs();

        bench.advance(Duration.ofSeconds(2));

        assertThat(here.store.verbs()).containsExactly(RELEASE, ACQUIRE);
        bench.assertHeldFor(Duration.ofSeconds(20), third.join().orElseThrow());
    }

    @Test
    void aHandOverThatTheStoreNeverTookReleasesThePredecessorInTheEnd() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(1)));
        here.store.always(ACQUIRE, ScriptedStore.refused("throttled"));

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        bench.advance(Duration.ofSeconds(8));

        assertThat(next).isCompletedExceptionally();
        assertThat(released).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aLostLeaseIsNotHandedOver() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        bench.advance(Bench.TTL);
        bench.advance(Duration.ofSeconds(7));
        Lease others = other.acquire("key");
        here.store.heal();
        CompletableFuture<Optional<Lease>> next = here.waiting("key");

        lease.close();

        assertThat(here.store.last(RELEASE).command)
                .isInstanceOfSatisfying(
                        ReleaseCommand.class,
                        release -> assertThat(
                                        release.own().contains(bench.item("key").version()))
                                .isFalse());
        bench.assertHeldFor(Duration.ofSeconds(20), others);
        assertThat(next).isNotDone();
    }

    @Test
    void inDeleteModeALateAttemptOfThePredecessorForbidsToDelete() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        deleting.sample(2);
        deleting.store.next(ACQUIRE, LOST); // an attempt of the first tenure may still be applied
        CompletableFuture<Optional<Lease>> first = deleting.acquiring("key");
        bench.advance(Duration.ofSeconds(3));
        Lease lease = first.join().orElseThrow();
        CompletableFuture<Optional<Lease>> next = deleting.waiting("key");
        lease.close();
        bench.advance(Duration.ofSeconds(30));

        next.join().orElseThrow().close();

        assertThat(bench.item("key").token()).isNotNull();
    }

    // ---- other processes

    /** Hands a lease on to this many holders, or until a release is no hand-over; returns the number of holders. */
    private int run(Bench.Node node, int hands, Duration each, IntConsumer before) {
        Lease lease = node.acquire("key");
        for (int hand = 1; hand <= hands; hand++) {
            CompletableFuture<Optional<Lease>> next = node.waiting("key");
            bench.advance(each);
            before.accept(hand);
            lease.close();
            if (!next.isDone()) {
                next.cancel(true);
                return hand;
            }
            lease = next.join().orElseThrow();
        }
        lease.close();
        return hands;
    }

    @Test
    void withoutAnotherProcessHandOversHaveNoBound() {
        assertThat(run(here, 100, Duration.ofMillis(20), hand -> {})).isEqualTo(100);

        assertThat(here.store.sent(RELEASE)).hasSize(1);
        assertThat(here.store.sent(ACQUIRE)).hasSize(101);
    }

    /** The names of owners may be equal. */
    @ParameterizedTest
    @ValueSource(strings = {"third", "here"})
    void aWaiterOfAnotherProcessMarksTheItemOnceAndEndsTheRun(String name) {
        Bench.Node third = bench.start(name);
        CompletableFuture<?>[] remote = new CompletableFuture<?>[1];

        int hands = run(here, 200, Duration.ofMillis(20), hand -> {
            if (hand == 1) {
                remote[0] = third.waiting("key");
            }
        });

        assertThat(hands).isBetween(RUN, 2 * RUN); // the remote waiter sees a hand-over before it marks the item
        assertThat(third.store.sent(MARK)).hasSize(1);
        bench.advance(Duration.ofMillis(100));
        assertThat(remote[0]).isDone(); // before this process acquires it again
    }

    /** Ends a series of hand-overs by the mark of a remote waiter that dies; returns the local waiter's acquire. */
    private CompletableFuture<Optional<Lease>> endOfARun() {
        return endOfARun(Duration.ofHours(1), Duration.ofMillis(20));
    }

    private CompletableFuture<Optional<Lease>> endOfARun(Duration waitFor, Duration each) {
        LeaseRequest request = LeaseRequest.of("key").waitFor(waitFor);
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> remote = other.waiting("key");
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(request);
        while (here.store.sent(RELEASE).isEmpty()) {
            bench.advance(each);
            if (!other.store.sent(MARK).isEmpty()) {
                other.store.always(LOST);
                remote.cancel(true);
            }
            lease.close();
            if (next.isDone()) {
                lease = next.join().orElseThrow();
                next = here.leases.acquireAsync(request);
            }
        }
        return next;
    }

    @Test
    void thisProcessLeavesAFreeLeaseToOthersForASecond() {
        CompletableFuture<Optional<Lease>> next = endOfARun();

        bench.advance(Duration.ofMillis(990));
        assertThat(next).isNotDone();
        assertThat(bench.isHeld("key")).isFalse();
        bench.advance(Duration.ofMillis(600)); // no other process took it

        assertThat(next.join()).isPresent();
    }

    @Test
    void aWaitThatEndsMeanwhileAsksOnce() {
        CompletableFuture<Optional<Lease>> next = endOfARun(Duration.ofMillis(500), Duration.ofMillis(20));
        bench.advance(Duration.ofMillis(400));
        assertThat(next).isNotDone();
        int reads = here.store.sent(READ).size();

        bench.advance(Duration.ofMillis(140));

        assertThat(next.join()).isPresent();
        assertThat(here.store.sent(READ)).hasSizeLessThanOrEqualTo(reads + 2);
    }

    /** A waiter of long standing looks only once a second. */
    @Test
    void whoStandsBackIsAnsweredAtTheEndOfItsWait() {
        CompletableFuture<Optional<Lease>> next = endOfARun(Duration.ofSeconds(5), Duration.ofMillis(4_900));
        bench.advance(Duration.ofMillis(99));
        assertThat(next).isNotDone();

        bench.advance(Duration.ofMillis(1));

        assertThat(next).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void aReleaseAtTheEndOfARunTakesTheMarkAway() {
        endOfARun();

        assertThat(bench.item("key").waitingSinceMillis()).isNull();
    }

    @Test
    void whoHadToStandBackMarksAtItsFirstLook() {
        CompletableFuture<Optional<Lease>> next = endOfARun();
        here.store.verbs();
        Bench.Node third = bench.start("third");

        third.acquire("key");
        bench.advance(Duration.ofMillis(200));

        assertThat(here.store.sent(MARK)).hasSize(1);
        assertThat(next).isNotDone();
    }

    @Test
    void whoDoesNotWaitIsToldSoonWhileAMarkIsUnderWay() {
        endOfARun();
        bench.start("third").acquire("key");
        here.store.next(MARK, LOST);
        bench.advance(Duration.ofMillis(200));
        CompletableFuture<Optional<Lease>> asking = here.acquiring("key");

        here.store.last(MARK).deliver();

        assertThat(asking).isCompletedWithValue(Optional.empty());
    }

    @Test
    void whoSawNoHandOverMarksNothing() {
        here.acquire("key");
        other.waiting("key");

        bench.advance(Duration.ofMinutes(1));

        assertThat(other.store.verbs()).doesNotContain(MARK).contains(READ);
    }
}
