package io.leasekit.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseRunOutcome;
import io.leasekit.spring.DistributedLease;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** {@code @SchedulerLock} and {@code @DistributedLease} of one name exclude each other. */
@Tag("boot3")
@SpringBootTest(properties = "lease.key-prefix=app/")
@AutoConfigureTestLeases
@ExtendWith(OutputCaptureExtension.class)
class BothAnnotationsTest {

    private static final Instant NINE = Instant.parse("2027-01-15T09:00:00Z");

    @Autowired
    TestLeases leases;

    @Autowired
    Jobs jobs;

    private static final List<String> RUNS = new ArrayList<>();
    private static Runnable inside = () -> {};

    @BeforeEach
    void forgetRuns() {
        RUNS.clear();
        inside = () -> {};
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "10m")
    @Import(Jobs.class)
    static class Application {}

    static class Jobs {

        @Scheduled(cron = "0 0 9 * * *", zone = "UTC")
        @SchedulerLock(name = "report", lockAtMostFor = "1h", lockAtLeastFor = "1m")
        public void old() {
            ran("old");
        }

        @Scheduled(cron = "0 0 9 * * *", zone = "UTC")
        @DistributedLease("report")
        public void changed() {
            ran("changed");
        }

        @Scheduled(cron = "0 0 9 * * *", zone = "UTC")
        @DistributedLease(key = "report", holdAtLeast = "1m")
        public void changedWithHold() {
            ran("changedWithHold");
        }

        @Scheduled(cron = "0 0 9 * * *", zone = "UTC")
        @DistributedLease(key = "report", holdAtLeast = "1m", once = DistributedLease.NEVER)
        public void changedWithoutSlots() {
            ran("changedWithoutSlots");
        }

        @DistributedLease("inner")
        public void inner() {
            inside.run();
        }

        private static void ran(String name) {
            RUNS.add(name);
            inside.run();
        }
    }

    /** Fires the job at 9:00 by a clock that is late by this time. */
    private void fire(String job, Duration late) {
        leases.advanceTo(NINE.plus(late));
        leases.fire(jobs, job);
    }

    @Test
    void theOldAnnotationSkipsWhileTheNewOneRuns() {
        inside = () -> CompletableFuture.runAsync(jobs::old).join();
        fire("changed", Duration.ZERO);

        assertThat(RUNS).containsExactly("changed");
    }

    @Test
    void theNewAnnotationSkipsWhileTheOldOneRuns() {
        inside = () -> leases.fire(jobs, "changed");
        fire("old", Duration.ZERO);

        assertThat(RUNS).containsExactly("old");
    }

    @Test
    void eachSkipsALeaseOfAnotherNode() {
        leases.advanceTo(NINE);
        leases.node("other").hold("app/report");
        fire("old", Duration.ZERO);
        fire("changed", Duration.ZERO);

        assertThat(RUNS).isEmpty();
    }

    @Test
    void aCallThatAsksForTheLockOfItsOwnLeaseFailsAndIsNotRecordedAsDone() {
        inside = () -> jobs.old();

        assertThatThrownBy(() -> fire("changed", Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Lock 'report' is requested by a call that already holds its lease 'app/report' by"
                        + " @DistributedLease, so it would never be free for this call. Remove @SchedulerLock, or use different"
                        + " names");
        assertThat(leases.manager().find("app/report").orElseThrow().lastRun().outcome())
                .isEqualTo(LeaseRunOutcome.FAILED);
    }

    @Test
    void soDoesACallWithinAnotherOneThatHoldsTheLease() {
        AtomicBoolean isInner = new AtomicBoolean();
        inside = () -> {
            if (isInner.compareAndSet(false, true)) {
                jobs.inner();
            } else {
                jobs.old();
            }
        };

        assertThatThrownBy(() -> fire("changed", Duration.ZERO))
                .hasMessageStartingWith("Lock 'report' is requested by");
    }

    @Test
    void aLateFiringOfTheOldAnnotationRepeatsTheRunUnlessTheNewOneHoldsAtLeastAsLong() {
        fire("changed", Duration.ZERO);
        fire("old", Duration.ofSeconds(3));
        assertThat(RUNS).as("without a hold").containsExactly("changed", "old");

        RUNS.clear();
        leases.advance(Duration.ofDays(1));
        leases.fire(jobs, "changedWithHold");
        leases.advance(Duration.ofSeconds(55));
        leases.fire(jobs, "old");
        assertThat(RUNS).as("with a hold").containsExactly("changedWithHold");
    }

    /** As docs/coming-from.md advises for times that are too close for a roll-out between them. */
    @Test
    void withoutSlotsATimeThatTheOldAnnotationTookIsNotRepeated() {
        fire("old", Duration.ZERO);
        fire("changedWithoutSlots", Duration.ofSeconds(50));
        leases.advance(Duration.ofMinutes(10));

        assertThat(RUNS).containsExactly("old");
    }

    @Test
    void aRunOfTheOldAnnotationIsNoSlotSoALateFiringOfTheNewOneIsSkippedOnlyUntilLockAtLeastForIsOver(
            CapturedOutput output) {
        fire("old", Duration.ZERO);
        fire("changed", Duration.ofSeconds(50));
        assertThat(RUNS).as("before its end").containsExactly("old");

        // the new annotation waits for the end of a run that it sees, and repeats it if its slot is not done
        leases.advance(Duration.ofSeconds(15));
        assertThat(RUNS).as("after its end").containsExactly("old", "changed");
        assertThat(output)
                .as("it did complete")
                .containsOnlyOnce("was not recorded as done when its key became free, and runs here")
                .doesNotContain("did not complete");
    }
}
