package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.kernel.ResultDelivery;
import io.leasekit.text.Text;
import io.leasekit.threads.Losses;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passive leases, which no heartbeat renews, and the extension of leases (protocol 4.1). */
class ExtensionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private Lease passive() {
        return here.acquire(LeaseRequest.of("key").passive());
    }

    // ---- passive leases

    @Test
    void aPassiveLeaseEndsWithItsTtlUnrenewedAndUnwarned() {
        Lease lease = passive();
        assertThat(lease.remaining()).isEqualTo(Bench.TTL);
        bench.assertHeldFor(Bench.TTL.minusSeconds(1), lease);
        bench.advance(SECOND.minusNanos(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(here.leases.status().overdue()).isZero();

        bench.advance(Duration.ofNanos(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
        assertThat(here.store.sent(RENEW)).isEmpty();
        assertThat(here.events).noneMatch(LeaseEvent.AtRisk.class::isInstance);
    }

    @Test
    void othersWaitForTheEndOfAPassiveLeaseAndNotMuchLonger() {
        passive();
        bench.advance(Bench.TTL);
        assertThat(other.tryAcquire("key")).as("clocks differ").isEmpty();

        bench.advance(Duration.ofSeconds(5));

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aPassiveLeaseIsFencedAndReleasedLikeAnyOther() {
        Lease lease = passive();
        assertThat(lease.fence().fencingToken()).isEqualTo(lease.fencingToken());

        lease.close();

        assertThat(other.acquire("key").fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void theStatusCountsPassiveLeases() {
        here.acquire("renewed");
        Lease lease = passive();

        assertThat(here.leases.status().passive()).isOne();
        assertThat(here.leases.status().held()).isEqualTo(2);
        lease.close();
        assertThat(here.leases.status().passive()).isZero();
    }

    @Test
    void afterAClockJumpOneRenewalConfirmsAPassiveLeaseAndItsEndStays() {
        Lease lease = passive();
        bench.advance(SECOND.multipliedBy(4));
        here.machine.jumpWallClock(MINUTE);
        assertThat(lease.isValid()).isFalse();

        lease.ensureValid();

        assertThat(here.store.sent(RENEW)).hasSize(1);
        assertThat(lease.remaining()).isBetween(Duration.ofMillis(5_900), Duration.ofSeconds(6));
        bench.advance(Duration.ofSeconds(6));
        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
    }

    @Test
    void theTimeOfASuspendCountsForAPassiveLease() {
        Lease lease = here.acquire(LeaseRequest.of("key").passive().ttl(Duration.ofSeconds(30)));
        here.machine.suspend(Duration.ofSeconds(20));

        lease.ensureValid();

        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(15));
    }

    @Test
    void aPassiveLeaseEndsAtItsHoldLimitIfThatIsSooner() {
        Lease lease = here.acquire(LeaseRequest.of("key").passive().holdAtMost(SECOND));

        bench.advance(SECOND);

        assertThat(lease.lossReason()).contains(LeaseLossReason.HOLD_LIMIT);
    }

    // ---- extensions

    @Test
    void anExtensionMovesTheEndOfAPassiveLeaseByOneRequest() {
        Lease lease = passive();
        bench.advance(SECOND);

        lease.extend(MINUTE);

        assertThat(here.store.sent(RENEW)).hasSize(1);
        assertThat(lease.remaining()).isEqualTo(MINUTE);
        bench.assertHeldFor(MINUTE.minusSeconds(1), lease);
        bench.advance(SECOND);
        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
        assertThat(here.store.sent(RENEW)).hasSize(1);
    }

    @Test
    void noExtensionShortensALease() {
        Lease lease = passive();
        lease.extend(MINUTE);

        lease.extend(SECOND);

        assertThat(lease.remaining()).isEqualTo(MINUTE);
    }

    @Test
    void heartbeatsAfterAnExtensionClaimTheRestOfIt() {
        Lease lease = here.acquire("key");
        lease.extend(MINUTE);
        int renewals = here.store.sent(RENEW).size();

        for (int second = 0; second < 90; second++) {
            assertThat(Duration.ofMillis(bench.item("key").durationMillis()))
                    .as("told to observers after %d s", second)
                    .isGreaterThanOrEqualTo(lease.remaining());
            bench.assertHeldFor(SECOND, lease);
        }

        assertThat(here.store.sent(RENEW)).hasSizeGreaterThan(renewals + 20);
        assertThat(lease.remaining()).as("the ttl again").isLessThanOrEqualTo(Bench.TTL);
    }

    @Test
    void anExtendedLeaseOutlivesAnOutageAndObserversWaitForIt() {
        Lease lease = here.acquire("key");
        lease.extend(MINUTE);
        bench.advance(Duration.ofSeconds(20)); // heartbeats went on
        here.store.always(LOST);
        CompletableFuture<?> waiting = other.waiting("key");

        bench.advance(Duration.ofSeconds(39));
        assertThat(lease.isValid()).isTrue();
        assertThat(waiting).isNotDone();
        bench.advance(Duration.ofSeconds(9));

        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
        assertThat(waiting).isDone();
    }

    @Test
    void anExtensionWhoseReplyIsLostIsConfirmedByTheNextRenewal() {
        Lease lease = passive();
        here.store.next(RENEW, LOST);

        CompletableFuture<Void> extended = ((HeldLease) lease).extended(MINUTE);
        assertThat(extended).isNotDone();
        bench.advance(Duration.ofSeconds(5));

        assertThat(extended).isCompleted();
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(54), Duration.ofSeconds(55));
    }

    @Test
    void aStoreThatDoesNotAnswerEndsTheWait() {
        ResultDelivery delivery =
                new ResultDelivery(Runnable::run, new Losses(Runnable::run, here.machine), here.machine, 0);
        CompletableFuture<Void> unanswered = new CompletableFuture<>();

        assertThatThrownBy(() -> delivery.await(unanswered, EngineTime.MILLI, "the extension of lease 'key'"))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Store did not confirm the extension of lease 'key' within 1 ms");
        assertThat(unanswered).as("nobody waits any more").isDone();
    }

    @Test
    void anExtensionThatNobodyWaitsForAnyMoreIsNotAskedForAgain() {
        Lease lease = passive();
        here.store.always(LOST);
        CompletableFuture<Void> extended = ((HeldLease) lease).extended(MINUTE);
        extended.completeExceptionally(new LeaseStoreException("given up", null));
        assertThat(lease.remaining()).as("as it was").isEqualTo(Bench.TTL);

        bench.advance(Bench.TTL);

        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
    }

    @Test
    void anInterruptEndsTheWait() {
        Lease lease = passive();
        here.store.always(LOST);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> lease.extend(MINUTE)).isInstanceOf(LeaseInterruptedException.class);
        assertThat(Thread.interrupted()).as("the flag is set again").isTrue();
    }

    @Test
    void aLeaseThatIsOverIsNotExtended() {
        Lease lost = passive();
        bench.advance(Bench.TTL);
        assertThatThrownBy(() -> lost.extend(MINUTE))
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(LeaseLossReason.EXPIRED));

        Lease released = here.acquire("released");
        released.close();
        assertThatThrownBy(() -> released.extend(MINUTE))
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageContaining("was released");
    }

    @Test
    void aLeaseThatAnotherOwnerHasIsLostByItsExtension() {
        Lease lease = passive();
        other.leases.forceRelease("key", lease.fencingToken());

        assertThatThrownBy(() -> lease.extend(MINUTE))
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(LeaseLossReason.REVOKED));
    }

    @Test
    void noExtensionGoesBeyondTheHoldLimit() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(MINUTE));
        bench.advance(SECOND);

        assertThatThrownBy(() -> lease.extend(MINUTE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("extend is 1 min for lease key 'key', expected at most 59 s, which is left of"
                        + " 'holdAtMost'");
        lease.extend(Duration.ofSeconds(59));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(59));
    }

    @Test
    void aSuspendBeforeTheHoldLimitEndsAnExtensionThatNoLongerFits() {
        Lease lease = here.acquire(LeaseRequest.of("key").ttl(MINUTE).holdAtMost(MINUTE));
        here.machine.suspend(Duration.ofSeconds(30));

        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(50)))
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageContaining("cannot be extended beyond its 'holdAtMost'");
        assertThat(lease.isValid()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "P366D"})
    void badTimesAreRefused(Duration bad) {
        Lease lease = passive();

        assertThatThrownBy(() -> lease.extend(bad))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "extend is " + Text.exact(bad) + " for lease key 'key', expected more than zero");
        assertThat(here.store.sent(RENEW)).isEmpty();
    }

    @Test
    void aLeaseOfSeveralKeysIsExtendedAsAWhole() {
        Lease lease = here.acquire(LeaseRequest.ofAll("a", "b").passive());

        lease.extend(MINUTE);

        bench.assertHeldFor(MINUTE.minusSeconds(1), lease);
    }

    @Test
    void theSuccessorOfAnExtendedLeaseGetsAnOrdinaryOne() {
        Lease lease = here.acquire("key");
        lease.extend(MINUTE);
        CompletableFuture<?> next = here.waiting("key");

        lease.close();

        assertThat(next).isCompleted();
        assertThat(here.store.sent(ACQUIRE)).hasSize(2);
        here.store.always(LOST);
        CompletableFuture<?> waiting = other.waiting("key");
        bench.advance(Bench.TTL.plusSeconds(5));
        assertThat(waiting).as("it did not inherit the minute").isDone();
    }

    @Test
    void theReleaseOfAnExtendedLeaseIsRetriedUntilTheExtensionIsOver() {
        Lease lease = passive();
        lease.extend(MINUTE);
        here.store.always(LOST);
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();

        bench.advance(MINUTE.minusSeconds(1));
        assertThat(released).isNotDone();
        here.store.heal();
        bench.advance(Duration.ofSeconds(5));

        assertThat(released).isCompleted();
        assertThat(bench.item("key").releasedAtMillis()).isNotNull();
    }
}
