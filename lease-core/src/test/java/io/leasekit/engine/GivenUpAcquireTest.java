package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** An acquire that ends without a grant releases in the background what it may have written (protocol 5.5). */
class GivenUpAcquireTest {

    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final LeaseRequest WAITING = LeaseRequest.of("key").waitFor(Duration.ofSeconds(5));

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private void assertFree() {
        assertThat(bench.isHeld("key")).isFalse();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void anInterruptReleasesWhatMayHaveBeenWritten() {
        here.store.always(ACQUIRE, REPLY_LOST);

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> here.leases.tryAcquire("key"))
                .isInstanceOf(LeaseInterruptedException.class)
                .hasMessage("Interrupted while waiting for lease 'key'");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(bench.isHeld("key")).isTrue();
        bench.advance(DEADLINE);

        assertFree();
    }

    @Test
    void aCancelReleasesWhatMayHaveBeenWritten() {
        here.store.always(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");

        acquiring.cancel(true);
        bench.advance(DEADLINE);

        assertFree();
    }

    @Test
    void aGrantThatComesAfterTheCancelIsReleasedAtOnce() {
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        acquiring.cancel(true);

        here.store.last(ACQUIRE).deliver();

        assertFree();
    }

    @Test
    void aCancelBeforeTheHandOutReleasesTheLease() {
        here.sample(2);
        here.store.next(ACQUIRE, request -> bench.time.schedule(1_500_000_000L, request::deliver));
        here.store.next(RENEW, LOST);
        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("key").ttl(Duration.ofSeconds(2)));
        bench.advance(Duration.ofMillis(1_500));
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, RENEW);

        acquiring.cancel(true);

        assertThat(acquiring).isCancelled();
        assertFree();
    }

    @Test
    void aCancelWhileItWaitsEndsItsRequests() {
        other.acquire("key");
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofSeconds(1));
        here.store.verbs();

        acquiring.cancel(true);
        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void aRefusedAttemptLeavesNothingToRelease() {
        other.acquire("key");

        assertThat(here.tryAcquire("key")).isEmpty();

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);
    }

    @Test
    void aRefusalOfARequestThatWasSentTwiceIsReleasedAllTheSame() {
        other.acquire("key");
        here.store.next(ACQUIRE, RESENT);

        assertThat(here.tryAcquire("key")).isEmpty();

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, RELEASE);
        assertThat(bench.item("key").owner()).isEqualTo("other");
    }

    @Test
    void aRefusalThatShowsItsOwnWriteReleasesIt() {
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request sent = here.store.last(ACQUIRE);
        acquiring.cancel(true);

        sent.apply(); // a copy that was made on the way refuses the other one
        sent.answer(new StoreReply.Refused(bench.item("key"), bench.time.now(), false));

        assertFree();
    }

    @Test
    void aTimeoutWithAnAttemptUnansweredReleases() {
        here.store.always(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");

        bench.advance(Duration.ofSeconds(10)); // beyond the store timeout

        assertThat(acquiring)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LeaseStoreException.class)
                .withMessage("Lease 'key' in table 'scripted': No reply of table 'scripted' within 2 s");
        assertFree();
    }

    @Test
    void unavailableWithAnAttemptUnansweredReleases() {
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(WAITING);
        Lease others = other.acquire("key");

        bench.advance(Duration.ofSeconds(7));

        assertThat(acquiring).isCompletedWithValue(Optional.empty());
        assertThat(here.store.verbs()).contains(RELEASE);
        bench.assertHeldFor(Duration.ofSeconds(30), others);
    }

    @Test
    void aWaitThatEndsIsUnavailableAndNeverAStoreFailure() {
        other.acquire("key");
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(WAITING);

        bench.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(acquiring).isNotDone();
        bench.advance(Duration.ofNanos(1));

        assertThat(acquiring).isCompletedWithValue(Optional.empty());
    }

    @Test
    void theReleaseOfWhatWasGivenUpIsTriedAgainDuringAnOutage() {
        here.store.always(ACQUIRE, REPLY_LOST);
        here.acquiring("key").cancel(true);
        here.store.always(LOST);
        bench.advance(Duration.ofSeconds(8));
        assertThat(bench.isHeld("key")).isTrue();
        here.store.heal();

        bench.advance(Duration.ofSeconds(5));

        assertFree();
    }

    @Test
    void anOrphanOfAStillLaterCopyEndsWithItsTtl() {
        here.store.next(ACQUIRE, LOST);
        here.acquiring("key").cancel(true);
        ScriptedStore.Request copy = here.store.last(ACQUIRE);
        bench.advance(DEADLINE);
        assertThat(here.store.verbs()).contains(RELEASE);

        copy.apply();

        assertThat(bench.isHeld("key")).isTrue();
        assertThat(other.tryAcquire("key")).isEmpty();
        bench.advance(Bench.TTL.plusSeconds(5)); // counted from the time of sending
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void anOrphanOfThisProcessIsTakenAtOnce() {
        here.store.next(ACQUIRE, LOST);
        here.acquiring("key").cancel(true);
        ScriptedStore.Request copy = here.store.last(ACQUIRE);
        bench.advance(DEADLINE);
        copy.apply();
        here.store.verbs();

        assertThat(here.tryAcquire("key")).isPresent();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
    }

    @Test
    void whoCompletesTheFutureGivesUp() {
        for (Consumer<CompletableFuture<Optional<Lease>>> giveUp :
                List.<Consumer<CompletableFuture<Optional<Lease>>>>of(
                        future -> future.completeExceptionally(new TimeoutException("as by orTimeout")),
                        future -> future.complete(Optional.empty()))) {
            here.store.next(ACQUIRE, LOST);
            CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
            ScriptedStore.Request answeredLate = here.store.last(ACQUIRE);

            giveUp.accept(acquiring);
            answeredLate.deliver();

            assertThat(bench.isHeld("key")).isFalse();
            assertThat(here.leases.held()).isEmpty();
        }
    }
}
