package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An acquire without a reply may have been applied, or may still be applied (protocol 5.5). */
class AmbiguousAcquireTest {

    private static final Duration GRANT_DEADLINE = Duration.ofSeconds(2);
    private static final Duration RETRIED = GRANT_DEADLINE.plusMillis(100);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    @Test
    void whereTheReplyIsLostTheNextAttemptOverwritesItsOwnWrite() {
        here.store.next(ACQUIRE, REPLY_LOST);

        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        assertThat(bench.isHeld("key")).isTrue();
        assertThat(acquiring).isNotDone();
        bench.advance(RETRIED);

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, ACQUIRE);
        Lease lease = acquiring.join().orElseThrow();
        assertThat(other.tryAcquire("key")).isEmpty();
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void whereTheRequestIsLostTheNextAttemptAcquires() {
        here.store.next(ACQUIRE, LOST, LOST);

        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        bench.advance(RETRIED.multipliedBy(2));

        bench.assertHeldFor(Duration.ofSeconds(30), acquiring.join().orElseThrow());
    }

    @Test
    void aCopyThatAnSdkSendsAgainIsRecognisedAsItsOwnByTheRefusal() {
        here.store.next(ACQUIRE, RESENT);

        Lease lease = here.acquire("key");

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aRefusalThatShowsAnEarlierAttemptInTimeIsAGrantThatIsRenewedAtOnce() {
        here.store.next(ACQUIRE, request -> request.fail(StoreReply.FailureKind.UNKNOWN, "broken pipe"));
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request first = here.store.last(ACQUIRE);
        // the refusal of the second request shows the version of the first, which was applied meanwhile
        here.store.next(ACQUIRE, request -> {
            first.apply();
            request.answer(new StoreReply.Refused(bench.item("key"), bench.time.now(), false));
        });

        bench.advance(Duration.ofMillis(100));

        Lease lease = acquiring.join().orElseThrow();
        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, ACQUIRE, RENEW);
        assertThat(lease.fencingToken()).isEqualTo(((AcquireCommand) first.command).token());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void anEarlierAttemptThatIsSeenAfterItsDeadlineIsNoGrantAndIsOverwritten() {
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request first = here.store.last(ACQUIRE);
        here.store.next(ACQUIRE, request -> {
            first.apply();
            request.answer(new StoreReply.Refused(bench.item("key"), bench.time.now(), false));
        });

        bench.advance(RETRIED);

        Lease lease = acquiring.join().orElseThrow();
        assertThat(lease.fencingToken()).isGreaterThan(((AcquireCommand) first.command).token());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aReplyAfterTheDeadlineIsNoGrantAndTheNextAttemptOverwritesIt() {
        here.store.next(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request first = here.store.last(ACQUIRE);

        bench.advance(RETRIED);
        first.answer(new StoreReply.Applied(null, bench.time.now(), false));

        Lease lease = acquiring.join().orElseThrow();
        assertThat(lease.fencingToken()).isGreaterThan(((AcquireCommand) first.command).token());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aWaiterThatSeesItsOwnLateWriteOverwritesItAtOnce() {
        Lease before = other.acquire("key");
        bench.advance(Duration.ofSeconds(1)); // so its token is below that of the attempt
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(5)));
        ScriptedStore.Request first = here.store.last(ACQUIRE);
        bench.advance(RETRIED);
        assertThat(here.store.sent(ACQUIRE)).as("the second one was refused").hasSize(2);

        before.close();
        first.apply();
        bench.advance(Duration.ofSeconds(2));

        assertThat(here.store.sent(ACQUIRE)).hasSize(3);
        bench.assertHeldFor(Duration.ofSeconds(30), acquiring.join().orElseThrow());
    }

    @Test
    void aReplyAfterItsTimeoutBeginsNoSecondAttemptBesideTheNextOne() {
        here.store.always(ACQUIRE, LOST);
        here.acquiring("key");
        ScriptedStore.Request first = here.store.last(ACQUIRE);
        bench.advance(RETRIED);

        first.fail(StoreReply.FailureKind.UNKNOWN, "broken pipe");
        bench.advance(Duration.ofSeconds(1));

        assertThat(here.store.sent(ACQUIRE)).as("the second one is in flight").hasSize(2);
    }

    @Test
    void aFirstGrantAcrossASuspendIsNoGrantBecauseItsDeadlineMayHavePassed() {
        here.store.next(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request first = here.store.last(ACQUIRE);

        here.machine.suspend(Duration.ofSeconds(10)); // its monotonic clock shows no time at all
        first.deliver();
        bench.advance(RETRIED);

        Lease lease = acquiring.join().orElseThrow();
        assertThat(lease.fencingToken()).isGreaterThan(((AcquireCommand) first.command).token());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aLateDuplicateOfAnAcquireOverwritesNoLease() {
        Lease lease = here.acquire("key");
        ScriptedStore.Request acquired = here.store.last(ACQUIRE);
        bench.advance(Duration.ofSeconds(5));

        acquired.apply();

        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aLateDuplicateOfAnAcquireBringsNoReleasedLeaseBack() {
        Lease lease = here.acquire("key");
        ScriptedStore.Request acquired = here.store.last(ACQUIRE);
        lease.close();

        acquired.apply();

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void whatAnEarlierTenureOfThisProcessLeftIsOverwrittenNeverAdopted() {
        here.store.always(ACQUIRE, LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        ScriptedStore.Request first = here.store.last(ACQUIRE);
        acquiring.cancel(true);
        here.store.heal();
        bench.advance(GRANT_DEADLINE);

        first.apply(); // applied after the release of the given-up acquire
        Lease lease = here.acquire("key");

        assertThat(lease.fencingToken()).isGreaterThan(((AcquireCommand) first.command).token());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }
}
