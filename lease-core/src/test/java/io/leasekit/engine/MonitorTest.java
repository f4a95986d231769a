package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.broken;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.AcquireEnded;
import io.leasekit.LeaseMeasurement.AcquireOutcome;
import io.leasekit.LeaseMeasurement.LeaseBegan;
import io.leasekit.LeaseMeasurement.LeaseEnded;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RenewalEnded;
import io.leasekit.LeaseMeasurement.RenewalOutcome;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseMeasurement.RunEnded;
import io.leasekit.LeaseMeasurement.RunShown;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.store.LeaseItem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measurements are reported once each, with their duration. No lease depends on a monitor. */
class MonitorTest {

    private static final LeaseRequest REQUEST = LeaseRequest.of("order-17").named("order");

    private final Bench bench = new Bench();
    private final List<LeaseMeasurement> measured = new ArrayList<>();
    private final Bench.Node here = bench.start("here", builder -> builder.monitor(measured::add));
    private final Bench.Node there = bench.start("there");

    private <T extends LeaseMeasurement> List<T> all(Class<T> type) {
        List<T> found =
                measured.stream().filter(type::isInstance).map(type::cast).toList();
        measured.removeIf(type::isInstance);
        return found;
    }

    @Test
    void aLeaseFromItsAcquireToItsRelease() {
        Lease lease = here.acquire(REQUEST);
        bench.advance(Duration.ofSeconds(1));
        lease.close();

        assertThat(all(AcquireEnded.class))
                .containsExactly(
                        new AcquireEnded("order-17", "order", AcquireOutcome.GRANTED, Duration.ZERO, Duration.ZERO));
        assertThat(all(LeaseBegan.class)).containsExactly(new LeaseBegan("order-17", "order", lease.fencingToken()));
        assertThat(all(LeaseEnded.class))
                .containsExactly(
                        new LeaseEnded("order-17", "order", lease.fencingToken(), Duration.ofSeconds(1), null));
        assertThat(all(RequestEnded.class))
                .containsExactly(
                        new RequestEnded(Operation.READ, RequestOutcome.APPLIED, Duration.ZERO),
                        new RequestEnded(Operation.ACQUIRE, RequestOutcome.APPLIED, Duration.ZERO),
                        new RequestEnded(Operation.RELEASE, RequestOutcome.APPLIED, Duration.ZERO));
        assertThat(measured).isEmpty();
    }

    @Test
    void aBatchOfRenewalsIsOneRequestWithTheBestOfTheirOutcomes() {
        here.acquire("one");
        here.acquire("two");
        here.acquire("three");
        bench.table.put(new LeaseItem("two", "another", 2_000_000_000L, 1L, 9_000_000_000_000L, "other", 1L, null));
        measured.clear();
        bench.advance(Bench.TTL.dividedBy(3));

        assertThat(all(RequestEnded.class))
                .containsExactly(new RequestEnded(Operation.RENEW, RequestOutcome.APPLIED, Duration.ZERO));
        assertThat(all(RenewalEnded.class))
                .extracting(RenewalEnded::key, RenewalEnded::outcome)
                .containsExactlyInAnyOrder(
                        tuple("one", RenewalOutcome.APPLIED),
                        tuple("two", RenewalOutcome.REFUSED),
                        tuple("three", RenewalOutcome.APPLIED));

        here.store.next(RENEW, refused("Throttled"));
        bench.advance(Bench.TTL.dividedBy(3));
        assertThat(all(RequestEnded.class).get(0).outcome()).isEqualTo(RequestOutcome.NOT_APPLIED);
    }

    @Test
    void anUnavailableLease() {
        there.acquire("order-17");

        assertThat(here.tryAcquire(REQUEST)).isEmpty();

        assertThat(all(AcquireEnded.class))
                .containsExactly(new AcquireEnded(
                        "order-17", "order", AcquireOutcome.UNAVAILABLE, Duration.ZERO, Duration.ZERO));
        assertThat(all(RequestEnded.class))
                .contains(new RequestEnded(Operation.ACQUIRE, RequestOutcome.REFUSED, Duration.ZERO));
    }

    @Test
    void aRunAndAnAcquireForItAfterwards() {
        LeaseRequest once = REQUEST.once("a", OnceOrder.GROWING);
        Lease lease = here.acquire(once);
        bench.advance(Duration.ofSeconds(2));
        lease.recordRun(LeaseRunOutcome.FAILED);
        assertThat(all(RunEnded.class)).as("the run has not ended yet").isEmpty();
        lease.close();
        lease.close();

        assertThat(all(RunEnded.class))
                .containsExactly(new RunEnded("order-17", "order", LeaseRunOutcome.FAILED, Duration.ofSeconds(2)));
        measured.clear();
        assertThat(here.tryAcquire(once)).isEmpty();
        assertThat(all(AcquireEnded.class))
                .extracting(AcquireEnded::outcome)
                .containsExactly(AcquireOutcome.ALREADY_RAN);
        assertThat(all(RunShown.class)).singleElement().satisfies(shown -> {
            assertThat(shown.key()).isEqualTo("order-17");
            assertThat(shown.name()).isEqualTo("order");
            assertThat(shown.run().outcome()).isEqualTo(LeaseRunOutcome.FAILED);
        });
    }

    @Test
    void aLeaseThatTellsOfNoRunMeasuresNone() {
        here.acquire(REQUEST).close();

        assertThat(all(RunEnded.class)).isEmpty();
    }

    @Test
    void howLongAnAcquireWaited() {
        Lease theirs = there.acquire("order-17");
        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(REQUEST.waitFor(Duration.ofSeconds(30)));
        assertThat(here.leases.status().waiting()).isOne();
        bench.advance(Duration.ofSeconds(3));
        theirs.close();
        bench.advance(Duration.ofSeconds(1));

        assertThat(acquiring).isDone();
        assertThat(here.leases.status().waiting()).isZero();
        assertThat(all(AcquireEnded.class)).singleElement().satisfies(ended -> {
            assertThat(ended.outcome()).isEqualTo(AcquireOutcome.GRANTED);
            assertThat(ended.took()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
            assertThat(ended.waited()).isEqualTo(ended.took());
        });
    }

    @Test
    void anAcquireThatFails() {
        here.store.always(ACQUIRE, refused("Throttled"));
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(REQUEST);
        bench.advance(Duration.ofSeconds(10));

        assertThat(acquiring).isCompletedExceptionally();
        assertThat(all(AcquireEnded.class)).singleElement().satisfies(ended -> {
            assertThat(ended.outcome()).isEqualTo(AcquireOutcome.FAILED);
            assertThat(ended.took()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));
            assertThat(ended.waited()).isZero();
        });
        assertThat(all(RequestEnded.class))
                .contains(new RequestEnded(Operation.ACQUIRE, RequestOutcome.NOT_APPLIED, Duration.ZERO));
    }

    @Test
    void anAcquireThatIsGivenUp() {
        there.acquire("order-17");
        here.leases.acquireAsync(REQUEST.waitFor(Duration.ofSeconds(30))).cancel(true);

        assertThat(all(AcquireEnded.class))
                .singleElement()
                .extracting(AcquireEnded::outcome)
                .isEqualTo(AcquireOutcome.GIVEN_UP);
    }

    @Test
    void renewalsWithTheirLagAndWhatWasLeft() {
        here.acquire(REQUEST);
        bench.advance(Bench.TTL.dividedBy(3));

        assertThat(all(RenewalEnded.class)).singleElement().satisfies(renewal -> {
            assertThat(renewal.name()).isEqualTo("order");
            assertThat(renewal.outcome()).isEqualTo(RenewalOutcome.APPLIED);
            assertThat(renewal.lag()).isLessThan(Duration.ofMillis(1));
            assertThat(renewal.remaining()).isBetween(Duration.ofMillis(6_600), Duration.ofMillis(7_000));
        });
    }

    @Test
    void aRenewalThatTheProcessSentLate() {
        here.acquire(REQUEST);
        here.machine.stop(Duration.ofSeconds(6));
        bench.advance(Duration.ZERO);

        assertThat(all(RenewalEnded.class)).singleElement().satisfies(renewal -> {
            assertThat(renewal.lag()).isBetween(Duration.ofMillis(2_600), Duration.ofMillis(3_100));
            assertThat(renewal.remaining()).isBetween(Duration.ofMillis(3_900), Duration.ofMillis(4_000));
        });
    }

    @Test
    void failedRenewalsAndTheLossThatFollows() {
        Lease lease = here.acquire(REQUEST);
        here.store.always(RENEW, broken("Broken"));
        bench.advance(Bench.TTL);

        assertThat(all(RenewalEnded.class))
                .hasSizeGreaterThan(3)
                .extracting(RenewalEnded::outcome)
                .containsOnly(RenewalOutcome.FAILED);
        assertThat(all(LeaseEnded.class))
                .containsExactly(new LeaseEnded(
                        "order-17", "order", lease.fencingToken(), Duration.ofMillis(9_990), LeaseLossReason.EXPIRED));
        lease.close();
        assertThat(all(LeaseEnded.class)).as("the end is reported once").isEmpty();
    }

    @Test
    void aRenewalWithoutAnswerIsOneFailure() {
        here.acquire(REQUEST);
        here.store.next(RENEW, LOST);
        bench.advance(Duration.ofSeconds(6));
        assertThat(all(RenewalEnded.class))
                .extracting(RenewalEnded::outcome)
                .containsExactly(RenewalOutcome.FAILED, RenewalOutcome.APPLIED);

        here.store.sent(RENEW).get(0).deliver(); // late, so it is refused
        assertThat(all(RenewalEnded.class))
                .as("a later renewal, no second report of the first")
                .extracting(RenewalEnded::outcome)
                .containsExactly(RenewalOutcome.APPLIED);
    }

    @Test
    void aManagerThatIsReadyToBeUsed() {
        List<LeaseManagerStatus> seen = new ArrayList<>();
        Bench.Node node = bench.start(
                "node",
                builder -> builder.monitor(new LeaseMonitor() {
                    @Override
                    public void started(LeaseManager manager) {
                        seen.add(manager.status());
                    }

                    @Override
                    public void measured(LeaseMeasurement measurement) {
                        throw new IllegalStateException("Out of order");
                    }
                }));

        assertThat(node.acquire("key").isValid())
                .as("acquired although the monitor throws")
                .isTrue();
        bench.advance(Bench.TTL.multipliedBy(3));
        assertThat(node.leases.status().held()).isOne();
        assertThat(seen).extracting(LeaseManagerStatus::held).containsExactly(0);
    }

    @Test
    void aCheckedExceptionOfKotlinCodeHasNoEffect() {
        Bench.Node node = bench.start(
                "node",
                builder -> builder.monitor(
                                measurement -> MonitorTest.<RuntimeException>sneak(new IOException("by design")))
                        .listener(event -> MonitorTest.<RuntimeException>sneak(new IOException("by design"))));

        Lease lease = node.acquire("key");
        bench.assertHeldFor(Bench.TTL.multipliedBy(3), lease);
        lease.close();

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(node.acquire("key").isValid()).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void aBlankNameIsNone(String name) {
        assertThatThrownBy(() -> LeaseRequest.of("key").named(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("name is '")
                .hasMessageEndingWith(" for lease key 'key', expected a text with a visible character and at most 128"
                        + " characters");
    }

    @Test
    void aNameIsShort() {
        assertThat(LeaseRequest.of("key").named("x".repeat(128)).name()).hasSize(128);
        assertThatThrownBy(() -> LeaseRequest.of("key").named("x".repeat(129)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameStaysWithAllCopiesOfARequest() {
        Duration second = Duration.ofSeconds(2);
        LeaseRequest copy = REQUEST.ttl(second)
                .heartbeatInterval(second)
                .waitFor(second)
                .holdAtLeast(second)
                .cooldown(second)
                .holdAtMost(second);

        assertThat(copy.name()).isEqualTo("order");
        assertThat(LeaseRequest.of("key").name()).isNull();
    }
}
