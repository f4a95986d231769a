package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.store.StoreReply;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The validity of a lease for its holder (protocol 4.1). */
class ValidityTest {

    private static final Duration NANO = Duration.ofNanos(1);

    /** The ttl minus a thousandth. */
    private static final Duration VALID_FOR = Duration.ofMillis(9_990);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private CompletableFuture<Optional<Lease>> acquiringWithReplyAfter(Duration delay, Duration ttl) {
        here.sample(2);
        here.store.next(ACQUIRE, request -> {
            request.apply();
            bench.time.schedule(
                    delay.toNanos(), () -> request.answer(new StoreReply.Applied(null, bench.time.now(), false)));
        });
        return here.leases.acquireAsync(LeaseRequest.of("key").ttl(ttl));
    }

    @Test
    void aLeaseIsValidUpToANanosecondBeforeItsEnd() {
        Lease lease = here.acquire("key");
        here.store.always(RENEW, LOST);

        assertThat(lease.remaining()).isEqualTo(VALID_FOR);
        bench.advance(VALID_FOR.minus(NANO));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isEqualTo(NANO);
        bench.advance(NANO);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        bench.advance(NANO);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void validityCountsFromBeforeTheSending() {
        CompletableFuture<Optional<Lease>> acquiring = acquiringWithReplyAfter(Duration.ofMillis(1_500), Bench.TTL);
        bench.advance(Duration.ofMillis(1_500));

        assertThat(acquiring.join().orElseThrow().remaining()).isEqualTo(VALID_FOR.minusMillis(1_500));
    }

    @Test
    void theValidityOfARenewalCountsFromBeforeItsSending() {
        Lease lease = here.acquire("key");
        here.store.next(RENEW, request -> bench.time.schedule(EngineTime.SECOND, request::deliver));
        here.store.verbs();
        while (here.store.sent(RENEW).isEmpty()) {
            bench.advance(Duration.ofMillis(1));
        }

        bench.advance(Duration.ofSeconds(1));

        assertThat(lease.remaining())
                .isBetween(VALID_FOR.minusMillis(1_002), VALID_FOR.minusMillis(999)); // sent within the millisecond
    }

    @Test
    void aGrantCountsUpToItsDeadline() {
        CompletableFuture<Optional<Lease>> acquiring =
                acquiringWithReplyAfter(Duration.ofSeconds(2).minus(NANO), Bench.TTL);
        bench.advance(Duration.ofSeconds(2));

        assertThat(acquiring).isDone();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    @Test
    void aReplyANanosecondAfterTheDeadlineIsNoGrant() {
        CompletableFuture<Optional<Lease>> acquiring =
                acquiringWithReplyAfter(Duration.ofSeconds(2).plus(NANO), Bench.TTL);
        bench.advance(Duration.ofSeconds(2).plus(NANO));
        assertThat(acquiring).isNotDone();

        bench.advance(Duration.ofMillis(50));

        assertThat(acquiring).isDone();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
    }

    @Test
    void aGrantWithHalfItsTtlLeftIsHandedOutAtOnce() {
        here.store.always(RENEW, LOST);
        CompletableFuture<Optional<Lease>> acquiring =
                acquiringWithReplyAfter(Duration.ofMillis(998), Duration.ofSeconds(2)); // plus 2 ms of drift
        bench.advance(Duration.ofMillis(998));

        assertThat(acquiring.join().orElseThrow().remaining()).isEqualTo(Duration.ofSeconds(1));
        assertThat(here.store.verbs()).startsWith(ACQUIRE);
    }

    @Test
    void aGrantWithLessThanHalfItsTtlLeftIsRenewedBeforeItIsHandedOut() {
        here.store.next(RENEW, request -> bench.time.schedule(NANO.toNanos(), request::deliver));
        CompletableFuture<Optional<Lease>> acquiring =
                acquiringWithReplyAfter(Duration.ofMillis(998).plus(NANO), Duration.ofSeconds(2));
        bench.advance(Duration.ofMillis(998).plus(NANO));
        assertThat(acquiring).isNotDone();

        bench.advance(NANO);

        assertThat(acquiring.join().orElseThrow().remaining())
                .isEqualTo(Duration.ofMillis(1_998).minus(NANO));
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, RENEW);
    }

    @Test
    void aProcessThatWasStoppedBeyondTheTtlKnowsAtItsFirstLook() {
        Lease lease = here.acquire("key");

        here.machine.stop(Duration.ofSeconds(30));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::conditionCheck).isInstanceOf(LeaseException.class);
    }

    @Test
    void looksSendNoRequest() {
        Lease lease = here.acquire("key");
        here.store.verbs();

        lease.isValid();
        lease.remaining();
        lease.ensureValid();
        lease.conditionCheck();

        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void acquiredAtIsDynamoDbsTimeWhateverTheWallClockSays() {
        here.machine.jumpWallClock(Duration.ofHours(-1));

        Instant acquiredAt = here.acquire("key").acquiredAt();

        assertThat(acquiredAt).isBetween(VirtualTime.START.minusSeconds(1), VirtualTime.START.plusSeconds(1));
    }

    @Test
    void aReleasedLeaseIsNotValidAndWasNotLost() {
        Lease lease = here.acquire("key");
        lease.close();

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        assertThatThrownBy(lease::ensureValid)
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessage("Lease 'key' of owner 'here' (token " + lease.fencingToken()
                        + ") is not valid: it was released");
        assertThatThrownBy(lease::conditionCheck)
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageEndingWith(" is not valid: it was released");
    }

    @Test
    void aLeaseWhoseReleaseIsInFlightWasReleased() {
        Lease lease = here.acquire("key");
        here.store.always(RELEASE, LOST);
        lease.releaseAsync();

        assertThatThrownBy(lease::ensureValid)
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageEndingWith(" is not valid: it was released");
        assertThatThrownBy(lease::conditionCheck).isExactlyInstanceOf(LeaseException.class);
    }

    @Test
    void aLeaseThatWasLostBeforeItsReleaseStaysLost() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(Duration.ofSeconds(1)));
        bench.advance(Duration.ofSeconds(1));
        lease.close();

        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::conditionCheck).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anEndThatNoTimerHasNoticedYetIsALoss() {
        Lease lease = here.acquire("key");
        here.machine.stop(Bench.TTL);

        assertThatThrownBy(lease::conditionCheck)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(LeaseLossReason.EXPIRED));
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anUnconfirmedLeaseHasNoConditionCheckBeforeItsNextRenewal() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        here.machine.jumpWallClock(Duration.ofHours(1));

        assertThatThrownBy(lease::conditionCheck)
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageEndingWith(" is not valid until a renewal succeeds");
    }

    @Test
    void theConditionCheckIsThatOfTheTokenAndTheTenureAndStaysTheSameAcrossRenewals() {
        Lease lease = here.acquire("key");
        String first = lease.conditionCheck().conditionExpression();
        bench.advance(Duration.ofMinutes(1));

        assertThat(first).isEqualTo(lease.fencingToken() + " " + ((HeldLease) lease).tenure());
        assertThat(lease.conditionCheck().conditionExpression()).isEqualTo(first);
    }

    @Test
    void ensureValidEndsWithTheInterruptOfItsThread() {
        Lease lease = here.acquire("key");
        here.store.next(READ, LOST);
        here.machine.jumpWallClock(Duration.ofHours(1));

        Thread.currentThread().interrupt();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseInterruptedException.class)
                .hasMessage("Interrupted while waiting for the renewal of lease 'key'");

        assertThat(Thread.interrupted()).isTrue();
    }
}
