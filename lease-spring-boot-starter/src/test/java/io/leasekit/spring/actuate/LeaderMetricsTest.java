package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaderElection;
import io.leasekit.LeaderElection.Work;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LeaderMetricsTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LeaderMetrics metrics = new LeaderMetrics(registry);
    private final AtomicReference<Work> measured = new AtomicReference<>();

    private LeaderElection elect(LeaderElection election, Work work) {
        return metrics.elect("default", "ingest", work, toMeasure -> {
            measured.set(toMeasure);
            return election;
        });
    }

    private double gauge(String name) {
        return registry.get(name)
                .tags("manager", "default", "name", "ingest")
                .gauge()
                .value();
    }

    @Test
    void aGaugeTellsWhetherThisProcessLeads() {
        FakeElection election = new FakeElection(false, null);
        assertThat(elect(election, lease -> {})).isSameAs(election);

        assertThat(gauge("lease.leader")).isZero();
        election.leads = true;
        assertThat(gauge("lease.leader")).isOne();
    }

    @Test
    void aLeaderIsStuckOnceItRunsLongerThanItsStopTimeoutAfterItWasTold() {
        FakeElection election = new FakeElection(false, FakeElection.STOP_TIMEOUT);
        elect(election, lease -> {});

        assertThat(gauge("lease.leader.stuck")).isZero();
        election.stoppingFor = FakeElection.STOP_TIMEOUT.plus(Duration.ofNanos(1));
        assertThat(gauge("lease.leader.stuck")).isOne();
        election.stoppingFor = null;
        assertThat(gauge("lease.leader.stuck")).isZero();
    }

    @Test
    void termsAreCountedFromZeroOn() throws Exception {
        AtomicReference<Lease> led = new AtomicReference<>();
        elect(new FakeElection(false, null), led::set);
        assertThat(terms()).isZero();

        leadOneTerm();
        leadOneTerm();

        assertThat(terms()).isEqualTo(2);
        assertThat(led.get().key()).isEqualTo("ingest");
    }

    private void leadOneTerm() throws Exception {
        try (LeaseManager leases =
                        LeaseManager.builder(new InMemoryLeaseStore()).build();
                Lease lease = leases.tryAcquire("ingest").orElseThrow()) {
            measured.get().lead(lease);
        }
    }

    private double terms() {
        return registry.get("lease.leader.terms")
                .tags("manager", "default", "name", "ingest")
                .counter()
                .count();
    }

    @Test
    void aLaterElectionOfTheSameNameSucceedsTheFirst() {
        FakeElection first = new FakeElection(true, null);
        elect(first, lease -> {});
        FakeElection second = new FakeElection(false, null);
        elect(second, lease -> {});

        assertThat(first.isLeader()).isTrue();
        assertThat(gauge("lease.leader")).isZero();
        second.leads = true;
        assertThat(gauge("lease.leader")).isOne();
    }

    @Test
    void aFailingRegistryKeepsNoLeaderFromItsWork(CapturedOutput output) throws Exception {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                throw new IllegalStateException("broken");
            }
        });
        AtomicReference<Lease> led = new AtomicReference<>();
        FakeElection election = new FakeElection(true, null);

        assertThat(elect(election, led::set)).isSameAs(election);
        leadOneTerm();

        assertThat(led.get()).isNotNull();
        assertThat(output).contains("Meters of a leader failed; its election goes on");
    }
}
