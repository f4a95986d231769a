package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reasons for a loss, each distinguished from the others and from an outage. */
class LossTest {

    private static final Duration HEARTBEAT = Bench.TTL.dividedBy(3);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.closeTimeout(Duration.ofSeconds(5)));
    private final Lease lease = here.acquire("key");
    private final List<LeaseLossReason> reasons = new ArrayList<>();

    LossTest() {
        lease.lost().thenAccept(reasons::add);
    }

    private void put(@Nullable String version) {
        LeaseItem item = bench.item("key");
        bench.table.put(new LeaseItem(
                "key", version, item.expiry(), item.durationMillis(), item.token(), "another", null, null));
    }

    private void assertLost(LeaseLossReason reason) {
        assertThat(reasons).containsExactly(reason);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(lease.lossReason()).contains(reason);
        assertThat(here.events)
                .filteredOn(event -> event instanceof LeaseEvent.Lost)
                .containsExactly(new LeaseEvent.Lost(
                        "key",
                        "here",
                        lease.fencingToken(),
                        reason,
                        ((LeaseEvent.Lost) here.events.get(here.events.size() - 1)).heldFor()));
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessage("Lease 'key' of owner 'here' (token " + lease.fencingToken() + ") was lost: " + reason);
        assertThatThrownBy(lease::conditionCheck).isInstanceOf(LeaseLostException.class);
        assertThat(here.store.sent(RELEASE))
                .as("not released while its body runs")
                .isEmpty();
    }

    @Test
    void expiredWhereNoRenewalGotThroughInTime() {
        here.store.always(RENEW, LOST);

        bench.advance(Duration.ofMillis(9_990).minusNanos(1));
        assertThat(reasons).isEmpty();
        bench.advance(Duration.ofNanos(1));

        assertLost(LeaseLossReason.EXPIRED);
    }

    @Test
    void takenWhereTheTableShowsAnothersTenure() {
        put(Tenure.version(new UUID(3, 4), 1));

        bench.advance(HEARTBEAT);

        assertLost(LeaseLossReason.TAKEN);
    }

    @Test
    void takenWhereTheTableShowsAVersionOfAnotherForm() {
        put("9b2d-of-a-client-of-another-kind");

        bench.advance(HEARTBEAT);

        assertLost(LeaseLossReason.TAKEN);
    }

    @Test
    void revokedWhereItWasReleasedByForce() {
        put(Tenure.version(Tenure.NOBODY, 1));

        bench.advance(HEARTBEAT);

        assertLost(LeaseLossReason.REVOKED);
    }

    @Test
    void revokedWhereTheVersionIsGone() {
        put(null);

        bench.advance(HEARTBEAT);

        assertLost(LeaseLossReason.REVOKED);
    }

    @Test
    void revokedWhereTheItemIsGone() {
        bench.table.remove("key");

        bench.advance(HEARTBEAT);

        assertLost(LeaseLossReason.REVOKED);
    }

    @Test
    void closedWhereTheManagerWasClosedUnderARunningBody() {
        here.leases.closeAsync();
        bench.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(reasons).isEmpty();
        bench.advance(Duration.ofNanos(1));

        assertLost(LeaseLossReason.CLOSED);
    }

    @Test
    void anOutageIsNoneOfThemUntilTheEndOfTheValidity() {
        here.store.always(refused("connection refused"));

        bench.advance(Duration.ofMillis(9_989));
        assertThat(reasons).isEmpty();
        assertThat(lease.isValid()).isTrue();
        bench.advance(Duration.ofMillis(1));

        assertLost(LeaseLossReason.EXPIRED);
    }

    @Test
    void whatTookItDuringAnOutageIsTold() {
        here.store.always(RENEW, REPLY_LOST);
        bench.advance(HEARTBEAT.multipliedBy(2));
        here.store.heal();
        put(Tenure.version(new UUID(3, 4), 1));

        bench.advance(HEARTBEAT);

        assertLost(LeaseLossReason.TAKEN);
    }

    @Test
    void aLeaseIsLostOnceAndTheFirstReasonStays() {
        put(null);
        bench.advance(HEARTBEAT);
        here.leases.closeAsync();

        bench.advance(Duration.ofMinutes(1));

        assertLost(LeaseLossReason.REVOKED);
    }

    @Test
    void afterALossNoRenewalIsSent() {
        put(null);
        bench.advance(HEARTBEAT);
        here.store.verbs();

        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void closingALostLeaseSendsItsRelease() {
        here.store.always(RENEW, LOST);
        bench.advance(Bench.TTL);
        ScriptedStore.Request late = here.store.last(RENEW);
        late.apply();
        assertThat(bench.isHeld("key")).isTrue();

        lease.close();

        assertThat(bench.isHeld("key")).isFalse();
    }

    // ---- the reason, without waiting

    @Test
    void aHeldLeaseHasNoLossReasonNorHasOneThatMustBeRenewedFirst() {
        assertThat(lease.lossReason()).isEmpty();
        here.store.always(LOST);
        here.machine.jumpWallClock(Duration.ofHours(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.lossReason()).isEmpty();
    }

    @Test
    void aReleasedLeaseHasNoLossReason() {
        lease.close();
        bench.advance(Bench.TTL.multipliedBy(2));

        assertThat(lease.lossReason()).isEmpty();
    }

    @Test
    void theLossReasonStaysAfterTheRelease() {
        here.store.always(RENEW, LOST);
        bench.advance(Bench.TTL);

        lease.close();

        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
    }

    @Test
    void theLossReasonOfALeaseThatIsOverIsKnownBeforeItsTimerRuns() {
        here.machine.stop(Bench.TTL);
        assertThat(reasons).isEmpty();

        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);

        assertLost(LeaseLossReason.EXPIRED);
    }

    @Test
    void aLeaseThatIsOverIsLostAndNotReleasedIfItIsClosedBeforeItsTimerRuns() {
        here.machine.stop(Bench.TTL.multipliedBy(2));

        lease.close();

        assertThat(reasons).containsExactly(LeaseLossReason.EXPIRED);
        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
        assertThat(here.events)
                .extracting(Object::getClass)
                .containsExactly(LeaseEvent.Acquired.class, LeaseEvent.Lost.class);
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void workThatFailsAfterItsLeaseIsOverEndsALostLease() {
        assertThatThrownBy(() -> here.leases.run("of the work", () -> {
                    here.machine.stop(Bench.TTL.multipliedBy(2));
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");

        assertThat(here.events)
                .filteredOn(event -> event.key().equals("of the work"))
                .extracting(Object::getClass)
                .containsExactly(LeaseEvent.Acquired.class, LeaseEvent.Lost.class);
    }
}
