package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A renewal without a reply may have been applied, or may still be applied (protocol 5.2, 5.5). */
class AmbiguousRenewTest {

    private static final Duration HEARTBEAT = Bench.TTL.dividedBy(3);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");
    private final Lease lease = here.acquire("key");

    @Test
    void aLostReplyIsNoLossAndTheNextRenewalTakesItsOwnWriteForItsOwn() {
        here.store.next(RENEW, REPLY_LOST);

        bench.assertHeldFor(LONG, lease);

        assertThat(other.tryAcquire("key")).isEmpty();
    }

    @Test
    void aLostRequestIsTriedAgainWithinTheValidity() {
        here.store.next(RENEW, LOST, LOST);

        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void aCopyThatAnSdkSendsAgainIsRecognisedAsItsOwnByTheRefusal() {
        here.store.always(RENEW, RESENT);

        bench.assertHeldFor(LONG, lease);

        assertThat(here.store.sent(RENEW).size()).isLessThan(12); // one per heartbeat at most
    }

    @Test
    void eachAttemptHasAVersionOfItsOwn() {
        here.store.next(RENEW, LOST, REPLY_LOST);

        bench.advance(LONG);

        assertThat(here.store.sent(RENEW))
                .extracting(request -> ((RenewCommand) request.command).version())
                .doesNotHaveDuplicates()
                .isSorted();
    }

    @Test
    void aLateDuplicateOfAnOldRenewalDoesNotPullTheEndBack() {
        bench.advance(HEARTBEAT);
        ScriptedStore.Request old = here.store.last(RENEW);
        bench.advance(HEARTBEAT.multipliedBy(3));
        LeaseItem before = bench.item("key");

        assertThat(old.apply()).isInstanceOf(StoreReply.Refused.class);

        assertThat(bench.item("key")).isEqualTo(before);
        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void aRenewalAppliedAfterTheNextOneWasSentIsRefusedOrRecognised() {
        here.store.next(RENEW, LOST);
        bench.advance(HEARTBEAT);
        ScriptedStore.Request first = here.store.last(RENEW);
        here.store.next(RENEW, request -> {
            request.deliver();
            first.apply();
        });

        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void aRefusalThatShowsAnEarlierRenewalCountsFromThatOneAndIsRenewedAtOnce() {
        here.store.next(RENEW, LOST);
        bench.advance(HEARTBEAT);
        ScriptedStore.Request first = here.store.last(RENEW);
        Duration sent = Duration.ofNanos(bench.time.elapsed());
        here.store.next(
                RENEW,
                request -> {
                    first.apply();
                    request.answer(new StoreReply.Refused(bench.item("key"), bench.time.now(), false));
                },
                LOST);
        while (here.store.sent(RENEW).size() < 3) {
            bench.advance(Duration.ofMillis(10));
        }

        Duration sinceFirst = Duration.ofNanos(bench.time.elapsed()).minus(sent);
        assertThat(lease.remaining()).isLessThanOrEqualTo(Bench.TTL.minus(sinceFirst));
        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void aReplyThatComesAfterItsTimeStillConfirms() {
        here.store.always(RENEW, REPLY_LOST);
        bench.advance(HEARTBEAT);
        ScriptedStore.Request first = here.store.last(RENEW);
        bench.advance(Duration.ofSeconds(6));
        Duration before = lease.remaining();

        first.answer(new StoreReply.Applied(null, bench.time.now(), false));

        assertThat(lease.remaining()).isGreaterThan(before);
        bench.assertCovered(lease);
    }

    @Test
    void aLateSuccessRevivesNoLostLease() {
        here.store.always(RENEW, LOST);
        bench.advance(HEARTBEAT);
        ScriptedStore.Request first = here.store.last(RENEW);
        bench.advance(Bench.TTL);
        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);

        first.deliver();

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    // ---- late replies

    /** A client library may report the timeout, too, shortly after it was counted. */
    @Test
    void aFailureThatComesAfterTheTimeoutDoesNotCountAgain() {
        here.store.next(RENEW, LOST, LOST);
        ScriptedStore.Request lost = awaitRenewal(1);
        bench.advance(lost.timeout);
        assertThat(here.store.sent(RENEW)).hasSize(1);

        lost.fail(StoreReply.FailureKind.UNKNOWN, "timeout of the client");
        long timedOut = bench.time.nanos();
        awaitRenewal(2);

        assertThat(Duration.ofNanos(bench.time.nanos() - timedOut)).isLessThanOrEqualTo(Duration.ofMillis(50));
    }

    /** As a server that shows no items in batches answers, which is not DynamoDB. */
    @Test
    void aLateRefusalByABatchWithoutAnItemIsNoLoss() {
        Lease second = here.acquire("second");
        here.store.next(RENEW, LOST);
        ScriptedStore.Request batch = awaitRenewal(1);
        assertThat(batch.isBatch()).isTrue();
        bench.advance(batch.timeout.plusSeconds(1));
        assertThat(here.store.sent(RENEW)).hasSizeGreaterThan(1);

        batch.answer(new StoreReply.Refused(null, null, false));
        bench.assertHeldFor(LONG, lease);

        assertThat(second.isValid()).isTrue();
    }

    private ScriptedStore.Request awaitRenewal(int number) {
        while (here.store.sent(RENEW).size() < number) {
            bench.advance(Duration.ofMillis(1));
        }
        return here.store.last(RENEW);
    }
}
