package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement.AcquireEnded;
import io.leasekit.LeaseMeasurement.AcquireOutcome;
import io.leasekit.LeaseMeasurement.CapacityConsumed;
import io.leasekit.LeaseMeasurement.LeaseBegan;
import io.leasekit.LeaseMeasurement.LeaseEnded;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RenewalEnded;
import io.leasekit.LeaseMeasurement.RenewalOutcome;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseMeasurement.RequestThrottled;
import io.leasekit.LeaseMeasurement.RunEnded;
import io.leasekit.LeaseMeasurement.RunShown;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseThrottling;
import io.leasekit.memory.InMemoryLeaseStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LeaseMetricsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final LeaseMetrics metrics = new LeaseMetrics(registry, "default");

    @Test
    void acquiresByOutcomeAndWhatTheyWaited() {
        metrics.measured(new AcquireEnded("k", "order", AcquireOutcome.GRANTED, SECOND, Duration.ZERO));
        metrics.measured(new AcquireEnded("k", "order", AcquireOutcome.UNAVAILABLE, SECOND.multipliedBy(3), SECOND));

        assertThat(registry.get("lease.acquire").tags("name", "order").timers()).hasSize(2);
        assertThat(registry.get("lease.acquire")
                        .tags("outcome", "unavailable")
                        .timer()
                        .totalTime(TimeUnit.SECONDS))
                .isEqualTo(3);
        assertThat(registry.get("lease.wait").timers()).singleElement().satisfies(wait -> {
            assertThat(wait.getId().getTag("outcome")).isEqualTo("unavailable");
            assertThat(wait.totalTime(TimeUnit.SECONDS)).isEqualTo(1);
        });
    }

    @Test
    void anAcquireForARunThatIsDoneIsAnOutcomeOfItsOwn() {
        metrics.measured(new AcquireEnded("k", "order", AcquireOutcome.ALREADY_RAN, SECOND, Duration.ZERO));

        assertThat(registry.get("lease.acquire")
                        .tags("outcome", "already_ran")
                        .timer()
                        .count())
                .isOne();
    }

    @Test
    void runsByOutcome() {
        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.SUCCEEDED, SECOND));
        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.FAILED, SECOND.multipliedBy(2)));

        assertThat(registry.get("lease.run").tags("name", "order").timers())
                .filteredOn(runs -> runs.count() > 0)
                .hasSize(2);
        assertThat(registry.get("lease.run")
                        .tags("manager", "default", "outcome", "failed")
                        .timer()
                        .totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
    }

    @Test
    void theAgeOfTheLastSuccessIsThatOfAnOwnRunOrOfOneThatAReplyHasShown() {
        metrics.measured(new AcquireEnded("k", "other", AcquireOutcome.GRANTED, SECOND, Duration.ZERO));
        assertThat(registry.find("lease.run.success.age").gauges()).as("no run").isEmpty();
        Instant now = Instant.ofEpochMilli(clock.wallTime());

        metrics.measured(new RunShown("k", "order", run(LeaseRunOutcome.SUCCEEDED, now.minusSeconds(100), SECOND)));
        assertThat(age("order")).isEqualTo(99);
        metrics.measured(new RunShown("k", "order", run(LeaseRunOutcome.SUCCEEDED, now.minusSeconds(200), SECOND)));
        assertThat(age("order")).as("an older one").isEqualTo(99);
        metrics.measured(new RunShown("k", "order", run(LeaseRunOutcome.FAILED, now.minusSeconds(10), SECOND)));
        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.RETRY, SECOND));
        assertThat(age("order")).isEqualTo(99);

        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.SUCCEEDED, SECOND));
        clock.add(Duration.ofMinutes(2));
        assertThat(age("order")).isEqualTo(120);
    }

    @Test
    void aJobThatHasOnlyFailedHasAnAgeSinceItsFirstRun() {
        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.FAILED, SECOND.multipliedBy(5)));
        clock.add(Duration.ofMinutes(1));
        metrics.measured(new RunEnded("k", "order", LeaseRunOutcome.FAILED, SECOND));

        assertThat(age("order")).isEqualTo(65);
    }

    private double age(String name) {
        return registry.get("lease.run.success.age")
                .tags("manager", "default", "name", name)
                .timeGauge()
                .value(TimeUnit.SECONDS);
    }

    private static LeaseRun run(LeaseRunOutcome outcome, Instant begunAt, Duration took) {
        return new LeaseRun("run", "node", begunAt, outcome, took);
    }

    @Test
    void runsAreCountedByOutcomeFromTheFirstUseOfTheirNameOn() {
        metrics.measured(new AcquireEnded("k", "order", AcquireOutcome.GRANTED, SECOND, Duration.ZERO));

        assertThat(registry.get("lease.run").tags("name", "order").timers())
                .hasSize(LeaseRunOutcome.values().length)
                .allSatisfy(runs -> assertThat(runs.count()).isZero());
    }

    @Test
    void leasesAreTimedWhileTheyAreHeldAndAfterwards() {
        metrics.measured(new LeaseBegan("k", "order", 7));
        clock.add(SECOND);
        assertThat(registry.get("lease.held.active").longTaskTimer().activeTasks())
                .isOne();
        assertThat(registry.get("lease.held.active").longTaskTimer().duration(TimeUnit.SECONDS))
                .isEqualTo(1);

        metrics.measured(new LeaseEnded("k", "order", 7, SECOND, null));
        assertThat(registry.get("lease.held.active").longTaskTimer().activeTasks())
                .isZero();
        assertThat(registry.get("lease.held.time").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(1);
    }

    @Test
    void lossesAreCountedByReasonFromZeroOn() {
        metrics.measured(new LeaseBegan("k", "order", 7));
        assertThat(registry.get("lease.lost").tags("name", "order").counters())
                .hasSize(LeaseLossReason.values().length)
                .allSatisfy(counter -> assertThat(counter.count()).isZero());

        metrics.measured(new LeaseEnded("k", "order", 7, SECOND, LeaseLossReason.EXPIRED));
        assertThat(registry.get("lease.lost")
                        .tags("reason", "expired")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aLeaseWhoseBeginWasNotMeasuredWasNotHeld() {
        metrics.measured(new LeaseEnded("k", "order", 7, SECOND, LeaseLossReason.EXPIRED));

        assertThat(registry.find("lease.held.time").timer()).isNull();
        assertThat(registry.get("lease.lost")
                        .tags("reason", "expired")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void renewalsWithTheirLagAndTheSmallestRestOfLately() {
        renewed(RenewalOutcome.APPLIED, 40);
        renewed(RenewalOutcome.FAILED, 15);
        renewed(RenewalOutcome.APPLIED, 30);

        assertThat(registry.get("lease.renew")
                        .tags("outcome", "applied")
                        .timer()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("lease.renew.lag").timer().max(TimeUnit.SECONDS))
                .isEqualTo(1);
        assertThat(registry.get("lease.renew.remaining.min").timeGauge().value(TimeUnit.SECONDS))
                .isEqualTo(15);

        clock.add(Duration.ofMinutes(1));
        renewed(RenewalOutcome.APPLIED, 38);
        assertThat(registry.get("lease.renew.remaining.min").timeGauge().value(TimeUnit.SECONDS))
                .isEqualTo(15);

        clock.add(Duration.ofMinutes(1));
        assertThat(registry.get("lease.renew.remaining.min").timeGauge().value(TimeUnit.SECONDS))
                .isEqualTo(38);

        clock.add(Duration.ofMinutes(5));
        assertThat(registry.get("lease.renew.remaining.min").timeGauge().value(TimeUnit.SECONDS))
                .isNaN();
    }

    @Test
    void theSmallestRestIsThatOfTheManagerThatWasStartedLast() {
        renewed(RenewalOutcome.APPLIED, 15);
        LeaseMetrics other = new LeaseMetrics(registry, "other");
        other.measured(new RenewalEnded("k", "order", RenewalOutcome.APPLIED, SECOND, SECOND, SECOND));

        LeaseMetrics restarted = new LeaseMetrics(registry, "default");
        restarted.measured(
                new RenewalEnded("k", "order", RenewalOutcome.APPLIED, SECOND, SECOND, Duration.ofSeconds(40)));

        assertThat(registry.get("lease.renew.remaining.min").timeGauges())
                .extracting(gauge -> gauge.value(TimeUnit.SECONDS))
                .containsExactlyInAnyOrder(1.0, 40.0);
    }

    private void renewed(RenewalOutcome outcome, int remainingSeconds) {
        metrics.measured(new RenewalEnded("k", "order", outcome, SECOND, SECOND, Duration.ofSeconds(remainingSeconds)));
    }

    @Test
    void aThrottledRequestIsCountedByItsLimit() {
        metrics.measured(new RequestThrottled(Operation.RENEW, LeaseThrottling.ON_DEMAND_MAXIMUM));

        assertThat(registry.get("lease.store.throttled")
                        .tags("operation", "renew", "reason", "on_demand_maximum")
                        .counter()
                        .count())
                .isOne();
    }

    @Test
    void requestsByOutcomeErrorsByKindAndCapacity() {
        metrics.measured(new RequestEnded(Operation.ACQUIRE, RequestOutcome.REFUSED, SECOND));
        metrics.measured(new RequestEnded(Operation.RENEW, RequestOutcome.UNKNOWN, SECOND));
        metrics.measured(new CapacityConsumed(Operation.RENEW, 1.5));

        assertThat(registry.get("lease.store.requests").timers()).hasSize(2);
        assertThat(registry.get("lease.store.errors").counters())
                .filteredOn(errors -> errors.count() > 0)
                .singleElement()
                .satisfies(errors -> assertThat(errors.getId().getTags())
                        .containsExactlyInAnyOrder(
                                Tag.of("manager", "default"), Tag.of("operation", "renew"), Tag.of("kind", "unknown")));
        assertThat(registry.get("lease.store.capacity")
                        .tags("operation", "renew")
                        .counter()
                        .count())
                .isEqualTo(1.5);
    }

    @Test
    void errorsAreCountedByKindFromTheFirstRequestOfTheirOperationOn() {
        metrics.measured(new RequestEnded(Operation.RENEW, RequestOutcome.APPLIED, SECOND));

        assertThat(registry.get("lease.store.errors").tags("operation", "renew").counters())
                .extracting(errors -> errors.getId().getTag("kind"))
                .containsExactlyInAnyOrder("not_applied", "unknown", "rejected");
        assertThat(registry.get("lease.store.errors").counters())
                .allSatisfy(errors -> assertThat(errors.count()).isZero());
    }

    @Test
    void gaugesReadTheManager() {
        try (LeaseManager leases =
                LeaseManager.builder(new InMemoryLeaseStore()).monitor(metrics).build()) {
            assertThat(registry.get("lease.clock.offset").timeGauge().value()).isNaN();
            Lease lease = leases.acquire(LeaseRequest.of("key"));

            assertThat(registry.get("lease.held").gauge().value()).isEqualTo(1);
            assertThat(registry.get("lease.waiting").gauge().value()).isZero();
            assertThat(registry.get("lease.overdue").gauge().value()).isZero();
            assertThat(registry.get("lease.clock.offset").timeGauge().value(TimeUnit.SECONDS))
                    .isBetween(-2.0, 2.0);
            assertThat(registry.get("lease.clock.uncertainty").timeGauge().value(TimeUnit.SECONDS))
                    .isBetween(1.0, 2.0);
            lease.close();
            assertThat(registry.get("lease.held").gauge().value()).isZero();
        }
    }

    @Test
    void aKeyIsNeverATagAndNamesAreBounded(CapturedOutput output) {
        for (int i = 0; i < 3 * LeaseMeters.MAX_NAMES; i++) {
            metrics.measured(new LeaseBegan("key-" + i, "name-" + i, i));
            metrics.measured(new RenewalEnded("key-" + i, "name-" + i, RenewalOutcome.APPLIED, SECOND, SECOND, SECOND));
            metrics.measured(new LeaseEnded("key-" + i, "name-" + i, i, SECOND, LeaseLossReason.TAKEN));
        }
        metrics.measured(new LeaseBegan("key", null, 1));

        assertThat(registry.getMeters())
                .flatExtracting((Meter meter) -> meter.getId().getTags())
                .extracting(Tag::getValue)
                .noneMatch(value -> value.startsWith("key"))
                .contains("none", "other", "name-99")
                .doesNotContain("name-100");
        assertThat(registry.get("lease.lost")
                        .tags("name", "other", "reason", "taken")
                        .counter()
                        .count())
                .isEqualTo(2 * LeaseMeters.MAX_NAMES);
        assertThat(output).containsOnlyOnce("Leases have more than 100 different names");
    }
}
