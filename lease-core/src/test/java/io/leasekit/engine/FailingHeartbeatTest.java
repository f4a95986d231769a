package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.broken;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Failed renewals are retried as long as the lease is valid, separately for each lease (protocol 5.7). */
class FailingHeartbeatTest {

    private static final Duration OUTAGE = Duration.ofSeconds(8);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Lease lease = here.acquire("key");

    private void assertOutlives(Consumer<ScriptedStore.Request> outage) {
        here.store.always(outage);
        bench.assertHeldFor(OUTAGE, lease);
        int attempts = here.store.sent(RENEW).size();
        assertThat(attempts).isBetween(3, 40);
        here.store.heal();
        bench.advance(Duration.ofSeconds(1)); // for the next attempt
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
        assertThat(here.events).noneMatch(event -> event instanceof LeaseEvent.Lost);
    }

    @Test
    void aThrottledHeartbeatGoesOn() {
        assertOutlives(refused("ProvisionedThroughputExceededException"));
    }

    @Test
    void aHeartbeatThatMeetsATransactionConflictGoesOn() {
        assertOutlives(refused("TransactionConflictException"));
    }

    @Test
    void aHeartbeatAnsweredByServerErrorsGoesOn() {
        assertOutlives(broken("InternalServerError (500)"));
    }

    @Test
    void aHeartbeatWhoseConnectionIsRefusedGoesOn() {
        assertOutlives(refused("Connection refused"));
    }

    @Test
    void aHeartbeatOnAHungSocketGoesOn() {
        assertOutlives(LOST);
    }

    @Test
    void aHeartbeatThatIsDeniedAccessGoesOn() {
        assertOutlives(request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));
    }

    @Test
    void aStoreThatThrowsIsAFailureLikeOthers() {
        assertOutlives(request -> {
            throw new IllegalStateException("client is broken");
        });
    }

    @Test
    void noAttemptOutlivesTheLease() {
        here.store.always(LOST);
        here.store.verbs();
        bench.advance(Duration.ofMillis(3_200)); // before the first heartbeat

        while (lease.isValid()) {
            bench.advance(Duration.ofMillis(1));
            for (ScriptedStore.Request renewal : here.store.sent(RENEW)) {
                // sent within the last millisecond
                assertThat(renewal.timeout)
                        .isLessThanOrEqualTo(lease.remaining().plusMillis(1));
            }
            here.store.verbs();
        }
    }

    @Test
    void attemptsKeepADistanceUpToTheEndOfTheLease() {
        here.store.always(refused("Connection refused"));

        bench.advance(Bench.TTL);

        assertThat(here.store.sent(RENEW)).hasSizeBetween(5, 60);
    }

    @Test
    void theTimeIsReadBeforeARenewalWhereItWasForgotten() {
        here.machine.jumpWallClock(Duration.ofHours(1));
        here.store.next(READ, refused("Connection refused"), refused("Connection refused"));
        assertThat(lease.isValid()).isFalse();

        bench.advance(Duration.ofSeconds(1));

        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aHungLeaseDelaysNoOther() {
        Lease other = here.acquire("other");
        here.store.always("key", LOST);

        bench.assertHeldFor(Duration.ofMinutes(1), other);

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);
        assertThat(here.store.sent(RENEW))
                .filteredOn(request -> request.keys().contains("other"))
                .hasSizeBetween(17, 22);
    }

    @Test
    void aFailingLeaseDelaysNoOther() {
        Lease other = here.acquire("other");
        here.store.always("key", refused("ProvisionedThroughputExceededException"));

        bench.assertHeldFor(Duration.ofMinutes(1), other);

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);
    }

    @Test
    void aListenerThatThrowsStopsNoHeartbeat() {
        Bench.Node noisy = bench.start(
                "noisy",
                builder -> builder.listener(event -> {
                    throw new IllegalStateException("listener is broken");
                }));
        Lease noisyLease = noisy.acquire("noisy");
        noisyLease.lost().thenAccept(reason -> {
            throw new IllegalStateException("handler is broken");
        });

        bench.assertHeldFor(Duration.ofSeconds(30), noisyLease);
        noisy.store.always(LOST);
        bench.advance(Bench.TTL);

        assertThat(noisy.events).hasAtLeastOneElementOfType(LeaseEvent.Lost.class);
    }

    // ---- without a retry left in the budget

    private final Bench.Node patient = bench.start("patient", builder -> builder.ttl(Duration.ofMinutes(1)));

    private HeldLease leaseWithoutRetries() {
        Lease held = patient.acquire("patient");
        patient.spendRetries();
        return (HeldLease) held;
    }

    @Test
    void anExtensionIsRetriedWithinASecond() {
        HeldLease held = leaseWithoutRetries();
        patient.store.next(RENEW, refused("ProvisionedThroughputExceededException"));

        CompletableFuture<Void> extended = held.extended(Duration.ofMinutes(2));
        assertThat(extended).isNotDone();
        bench.advance(Duration.ofSeconds(1));

        assertThat(extended).isCompleted();
    }

    @Test
    void aRenewalThatACallerAwaitsAfterAClockJumpIsRetriedWithinASecond() {
        HeldLease held = leaseWithoutRetries();
        // for the caller, and because the jump was noticed
        Consumer<ScriptedStore.Request> throttled = refused("ProvisionedThroughputExceededException");
        patient.store.next(RENEW, throttled, throttled);
        patient.machine.jumpWallClock(Duration.ofHours(1));

        CompletableFuture<Void> confirmed = held.confirmed();
        assertThat(confirmed).isNotDone();
        bench.advance(Duration.ofSeconds(1));

        assertThat(confirmed).isCompleted();
    }

    @Test
    void aHeartbeatThatNobodyAwaitsIsRetriedAfterAQuarterOfTheRest() {
        leaseWithoutRetries();
        patient.store.always(RENEW, refused("ProvisionedThroughputExceededException"));
        while (patient.store.sent(RENEW).isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }

        bench.advance(Duration.ofSeconds(9)); // about 40 s are left
        assertThat(patient.store.sent(RENEW)).hasSize(1);
        bench.advance(Duration.ofSeconds(2));
        assertThat(patient.store.sent(RENEW)).hasSize(2);
    }

    // ---- at risk

    private static List<LeaseEvent.AtRisk> risks(Bench.Node process) {
        return process.events.stream()
                .filter(LeaseEvent.AtRisk.class::isInstance)
                .map(LeaseEvent.AtRisk.class::cast)
                .toList();
    }

    @Test
    void aLeaseIsAtRiskOnceAThirdOfItsTtlIsLeft() {
        here.store.always(RENEW, LOST);

        bench.advance(Duration.ofNanos(9_990_000_000L - 3_333_333_333L - 1));
        assertThat(risks(here)).isEmpty();
        bench.advance(Duration.ofNanos(1));
        assertThat(risks(here))
                .containsExactly(
                        new LeaseEvent.AtRisk("key", "here", lease.fencingToken(), Duration.ofNanos(3_333_333_333L)));
        bench.advance(Duration.ofSeconds(3));

        assertThat(risks(here)).as("reported once").hasSize(1);
    }

    @Test
    void aLeaseThatWasAtRiskCanBeSoAgain() {
        here.store.always(RENEW, LOST);
        bench.advance(Duration.ofSeconds(7));
        here.store.heal();
        bench.assertHeldFor(Duration.ofSeconds(20), lease);
        assertThat(risks(here)).hasSize(1);

        here.store.always(RENEW, LOST);
        bench.advance(Duration.ofSeconds(8));

        assertThat(risks(here)).hasSize(2);
    }

    @Test
    void aLeaseThatIsRenewedInTimeIsNeverAtRisk() {
        bench.advance(Duration.ofMinutes(10));

        assertThat(risks(here)).isEmpty();
    }
}
