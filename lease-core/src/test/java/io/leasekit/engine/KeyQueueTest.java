package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.requests.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Callers of one process that want the same key (protocol 6). */
class KeyQueueTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.maxWaitersPerKey(3));
    private final Bench.Node other = bench.start("other");

    // ---- order

    @Test
    void callersGetTheLeaseInTheOrderInWhichTheyCame() {
        Lease lease = here.acquire("key");
        List<CompletableFuture<Optional<Lease>>> waiters =
                List.of(here.waiting("key"), here.waiting("key"), here.waiting("key"));
        here.store.verbs();

        List<Long> tokens = new ArrayList<>(List.of(lease.fencingToken()));
        for (CompletableFuture<Optional<Lease>> next : waiters) {
            assertThat(next).isNotDone();
            lease.close();
            assertThat(next).isDone();
            lease = next.join().orElseThrow();
            bench.assertCovered(lease);
            tokens.add(lease.fencingToken());
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE, ACQUIRE); // one each, no release
    }

    @Test
    void waitersOfAHeldKeySendNothing() {
        here.acquire("key");
        here.store.verbs();

        here.waiting("key");
        here.waiting("key");
        bench.advance(Duration.ofSeconds(3));

        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void onlyTheFirstWaiterAsksWhileAnotherProcessHolds() {
        other.acquire("key");
        here.waiting("key");
        bench.advance(Duration.ofSeconds(5));
        here.store.verbs();
        bench.advance(Duration.ofSeconds(60));
        int alone = here.store.verbs().size();

        here.waiting("key");
        here.waiting("key");
        here.store.verbs();
        bench.advance(Duration.ofSeconds(60));

        assertThat(here.store.verbs().size()).isCloseTo(alone, withinPercentage(30));
    }

    @Test
    void theNextWaiterGoesOnWhereTheFirstGaveUp() {
        Lease theirs = other.acquire("key");
        CompletableFuture<Optional<Lease>> first =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(4)));
        CompletableFuture<Optional<Lease>> second = here.waiting("key");
        bench.advance(Duration.ofSeconds(5));
        assertThat(first).isCompletedWithValue(Optional.empty());
        assertThat(here.store.sent(ACQUIRE)).hasSize(1); // the second waiter began with a read

        theirs.close();
        bench.advance(Duration.ofSeconds(2));

        assertThat(second.join()).isPresent();
    }

    /** At the end of its wait nothing is known of the key, so it is not said to be held by another owner. */
    @Test
    void aCallerBehindOneWhoseFirstReplyIsLateIsAnsweredByThatReply() {
        here.sample(2);
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> first = here.waiting("key");
        CompletableFuture<Optional<Lease>> second =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMillis(500)));
        bench.advance(Duration.ofSeconds(1));
        assertThat(second).isNotDone();

        here.store.sent(ACQUIRE).get(0).deliver();

        assertThat(first.join()).isPresent();
        assertThat(second.join()).isEmpty();
        assertThat(here.events)
                .filteredOn(LeaseEvent.Unavailable.class::isInstance)
                .singleElement()
                .extracting(event -> ((LeaseEvent.Unavailable) event).holder().owner())
                .isEqualTo("here");
    }

    @Test
    void aWaiterThatIsCancelledLeavesItsPlace() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> cancelled = here.waiting("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");

        cancelled.cancel(true);
        lease.close();

        assertThat(next.join()).isPresent();
    }

    @Test
    void aWaiterGivesUpAfterItsTime() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> waiter =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(4)));

        bench.advance(Duration.ofSeconds(4).minusNanos(1));
        assertThat(waiter).isNotDone();
        bench.advance(Duration.ofNanos(1));

        assertThat(waiter).isCompletedWithValue(Optional.empty());
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void oneWaiterTooManyFails() {
        here.acquire("key");
        here.waiting("key");
        here.waiting("key");
        here.waiting("key");

        CompletableFuture<Optional<Lease>> tooMany = here.waiting("key");

        assertThatThrownBy(tooMany::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(LeaseException.class)
                .hasMessage("3 callers of this process already wait for lease 'key', expected at most 3"
                        + " (maxWaitersPerKey)");
    }

    @Test
    void aWaitMayHaveNoEnd() {
        Lease theirs = other.acquire("key");
        CompletableFuture<Optional<Lease>> first =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(LeaseRequest.UNLIMITED));
        CompletableFuture<Optional<Lease>> second =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(LeaseRequest.UNLIMITED));
        bench.advance(Duration.ofHours(2));
        assertThat(first).isNotDone();

        theirs.close();
        bench.advance(Duration.ofSeconds(2));

        first.join().orElseThrow().close();
        assertThat(second.join()).isPresent();
    }

    // ---- callers that do not wait

    @Test
    void whoDoesNotWaitIsRefusedByALeaseOfItsProcessWithoutARequest() {
        Lease lease = here.acquire("key");
        here.store.verbs();

        assertThatThrownBy(() -> here.leases.acquire(LeaseRequest.of("key")))
                .isInstanceOfSatisfying(LeaseUnavailableException.class, e -> {
                    assertThat(e.holder().orElseThrow().owner()).isEqualTo("here");
                    assertThat(e.holder().orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
                    assertThat(e.holder().orElseThrow().acquiredAt()).isEqualTo(lease.acquiredAt());
                    assertThat(e.holder().orElseThrow().expiresAt()).isAfter(bench.time.now());
                });

        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void whoDoesNotWaitWaitsForTheReleaseOfItsOwnProcess() {
        Lease lease = here.acquire("key");
        here.store.next(RELEASE, LOST);
        lease.releaseAsync();
        ScriptedStore.Request release = here.store.last(RELEASE);

        CompletableFuture<Optional<Lease>> next = here.acquiring("key");
        assertThat(next).isNotDone();
        here.store.verbs();
        release.deliver();

        assertThat(next.join()).isPresent();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    /** Runs on one thread. With several, the granting step may still be running when its caller is done. */
    @Test
    void whoDoesNotWaitWaitsForAReleaseThatHasYetToBegin() {
        List<Optional<Lease>> next = new ArrayList<>();
        here.store.next(ACQUIRE, LOST);

        here.acquiring("key").thenAccept(lease -> {
            lease.orElseThrow().releaseAsync();
            here.acquiring("key").thenAccept(next::add);
        });
        here.store.last(ACQUIRE).deliver();

        assertThat(next).hasSize(1);
        assertThat(next.get(0)).isPresent();
    }

    @Test
    void whoDoesNotWaitWaitsForNoReleaseLongerThanOneRequestMayTake() {
        Lease lease = here.acquire("key");
        here.store.next(RELEASE, LOST);
        lease.releaseAsync();

        CompletableFuture<Optional<Lease>> next = here.acquiring("key");
        bench.advance(Duration.ofNanos(Requests.TIMEOUT));

        assertThat(next.join()).isPresent(); // takes over the released tenure, which is known to be dead
    }

    @Test
    void whoCameBeforeTheRequestSharesItsRefusal() {
        here.sample(2);
        other.acquire("key");
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> first = here.acquiring("key");
        bench.advance(Duration.ofMillis(1));
        CompletableFuture<Optional<Lease>> later = here.acquiring("key");
        CompletableFuture<Optional<Lease>> alsoLater = here.acquiring("key");
        here.store.last(ACQUIRE).deliver();

        assertThat(first).isCompletedWithValue(Optional.empty());
        assertThat(later).isCompletedWithValue(Optional.empty());
        assertThat(alsoLater).isCompletedWithValue(Optional.empty());
        assertThat(here.store.sent(ACQUIRE)).hasSize(2);
    }

    @Test
    void whoDoesNotWaitIsAnsweredByTheSecondRefusalAtTheLatest() {
        here.sample(2);
        other.acquire("key");
        here.store.next(ACQUIRE, LOST);
        here.acquiring("key");
        bench.advance(Duration.ofMillis(1));
        List<CompletableFuture<Optional<Lease>>> later =
                IntStream.range(0, 3).mapToObj(i -> here.acquiring("key")).toList();
        here.store.last(ACQUIRE).deliver();

        assertThat(later).allSatisfy(one -> assertThat(one).isCompletedWithValue(Optional.empty()));
        assertThat(here.store.sent(ACQUIRE)).hasSize(2);
    }

    /** Its key is held by another owner, as the reply to the caller before it has shown. */
    @Test
    void aQueuedCallerWhoseTurnDoesNotComeIsUnavailableIfAnotherOneWasRefused() {
        here.sample(2);
        other.acquire("key");
        here.store.next(ACQUIRE, LOST);
        here.acquiring("key");
        bench.advance(Duration.ofMillis(1));
        here.store.next(ACQUIRE, LOST);
        here.acquiring("key"); // its request has no reply
        here.store.sent(ACQUIRE).get(0).deliver();
        CompletableFuture<Optional<Lease>> last =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMillis(10)));
        bench.advance(Duration.ofMillis(10));

        assertThat(last).isCompletedWithValue(Optional.empty());
    }

    @Test
    void whoDoesNotWaitIsToldSoonWhileAnotherOneWaits() {
        other.acquire("key");
        here.waiting("key");
        bench.advance(Duration.ofSeconds(30)); // by now, the waiter reads about once a second
        here.store.verbs();

        assertThat(here.acquiring("key")).isCompletedWithValue(Optional.empty());

        assertThat(here.store.verbs()).containsExactly(READ);
    }

    /** Nothing is known of the key in the moment when the wait ends. */
    @Test
    void aLongWaitThatEndsDuringAHandOverIsAnsweredByIt() {
        Lease lease = here.acquire("key");
        here.waiting("key");
        CompletableFuture<Optional<Lease>> last =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(30)));
        bench.advance(Duration.ofMillis(29_990));
        here.store.next(ACQUIRE, LOST);
        lease.releaseAsync();

        bench.advance(Duration.ofMillis(20));
        assertThat(last).isNotDone();
        here.store.last(ACQUIRE).deliver();

        assertThat(last).isCompletedWithValue(Optional.empty());
    }

    @Test
    void whoDoesNotWaitIsRefusedOnceAnotherCallerGotTheLease() {
        here.sample(2);
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> first = here.acquiring("key");
        CompletableFuture<Optional<Lease>> second = here.acquiring("key");

        here.store.last(ACQUIRE).deliver();

        assertThat(first.join()).isPresent();
        assertThat(second).isCompletedWithValue(Optional.empty());
        assertThat(here.store.sent(ACQUIRE)).hasSize(1);
    }

    // ---- leases that end without a release

    @Test
    void aLostLeaseIsNobodysObstacle() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.always(LOST);
        bench.advance(Bench.TTL);
        assertThat(lease.isValid()).isFalse();
        here.store.heal();

        bench.advance(Duration.ofSeconds(12));
        Lease later = next.join().orElseThrow();

        lease.close();
        bench.assertHeldFor(Duration.ofSeconds(20), later);
    }

    @Test
    void aHoldBindsLocalCallersAtOnce() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(Duration.ofSeconds(30)));
        CompletableFuture<Optional<Lease>> waiter = here.waiting("key");
        lease.close();

        bench.advance(Duration.ofSeconds(25));
        assertThat(waiter).isNotDone();
        assertThat(here.tryAcquire("key")).isEmpty();

        bench.advance(Duration.ofSeconds(9));
        assertThat(waiter.join()).isPresent();
    }

    @Test
    void storeFailuresReachWhoeverIsQueued() {
        here.sample(2);
        here.store.always(ScriptedStore.refused("throttled"));
        CompletableFuture<Optional<Lease>> first = here.acquiring("key");
        CompletableFuture<Optional<Lease>> second = here.acquiring("key");

        bench.advance(Duration.ofSeconds(8));

        assertThatThrownBy(first::join).cause().isInstanceOf(LeaseStoreException.class);
        assertThatThrownBy(second::join).cause().isInstanceOf(LeaseStoreException.class);
    }

    @Test
    void closingTheManagerEndsAllWhoWait() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> first = here.waiting("key");
        CompletableFuture<Optional<Lease>> second = here.waiting("key");

        CompletableFuture<Void> closed = here.leases.closeAsync().toCompletableFuture();

        assertThatThrownBy(first::join).hasMessageContaining("is closed");
        assertThatThrownBy(second::join).hasMessageContaining("is closed");
        assertThat(lease.isValid()).isTrue();
        lease.close();
        assertThat(closed).isDone();
        assertThat(bench.isHeld("key")).isFalse();
    }
}
