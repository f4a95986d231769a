package io.leasekit.spring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.support.CronTrigger;

/** What is fired after a start. The node's clock stands still at 13:00, one hour behind that of DynamoDB. */
@ExtendWith(OutputCaptureExtension.class)
class CatchUpTest {

    private static final Instant NODE = time("13:00:00");
    private static final String NOW = "14:00:00";

    private final Clock clock = Clock.fixed(NODE, ZoneOffset.UTC);
    private final List<String> fired = new ArrayList<>(); // the slots
    private final List<Runnable> started = new ArrayList<>();
    private final List<Duration> delays = new ArrayList<>();
    private final TaskScheduler scheduler = Mockito.mock(TaskScheduler.class);
    private int reads;

    CatchUpTest() {
        Mockito.when(scheduler.schedule(Mockito.any(Runnable.class), Mockito.any(Instant.class)))
                .thenAnswer(call -> {
                    started.add(call.getArgument(0));
                    delays.add(Duration.between(NODE, call.getArgument(1)));
                    return Mockito.mock(ScheduledFuture.class);
                });
    }

    private static Instant time(String text) {
        return Instant.parse("2026-11-21T" + text + "Z");
    }

    private FiringTask task(String cron, String name) {
        Runnable fire = () -> {
            Firing firing = Firing.current();
            Instant slot = firing.slot(firing.slots(), time(NOW));
            fired.add(name + slot.toString().substring(11, 16));
            assertThat(firing.delay()).as("is not reported as late").isNull();
        };
        return new FiringTask(fire, new CronTrigger(cron, ZoneOffset.UTC), clock, null, () -> false).on(scheduler);
    }

    /** Runs what the scheduler was given, until it is given no more. */
    private void runAll() {
        while (!started.isEmpty()) {
            started.remove(0).run();
        }
    }

    private void catchUp(Duration within, @Nullable String lastRun, String now, FiringTask... tasks) {
        catchUp(
                within,
                CompletableFuture.completedFuture(
                        new CatchUp.LastRun(time(now), lastRun == null ? null : "2026-11-21T" + lastRun + "Z")),
                tasks);
    }

    private void catchUp(Duration within, CompletableFuture<CatchUp.LastRun> lastRun, FiringTask... tasks) {
        new CatchUp("Job.run", within, () -> {
                    reads++;
                    return lastRun;
                })
                .begin(List.of(tasks));
        runAll();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "never",
            value = {
                "14:00:00, 12:00:00, 14:00", // the last slot, in this moment
                "14:00:00, 14:00:00, never", // is done
                "14:00:00, 15:00:00, never", // a newer one is done
                "14:29:59, 13:00:00, 14:00",
                "14:30:00, 13:00:00, 14:00", // as old as may be
                "14:30:01, 13:00:00, never", // older than that
                "14:10:00, never, never", // the key has never run
                "14:10:00, 09:00:00, 14:00", // several have passed: the newest
            })
    void theNewestSlotIsFiredIfItIsNeitherDoneNorTooOld(String now, @Nullable String lastRun, @Nullable String slot) {
        catchUp(Duration.ofMinutes(30), lastRun, now, task("0 0 * * * *", ""));

        assertThat(fired).isEqualTo(slot == null ? List.of() : List.of(slot));
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void anotherKindOfNameCountsAsLater() {
        CompletableFuture<CatchUp.LastRun> other =
                CompletableFuture.completedFuture(new CatchUp.LastRun(time(NOW), "run-7"));
        catchUp(Duration.ofMinutes(30), other, task("0 0 * * * *", ""));

        assertThat(fired).isEmpty();
    }

    @Test
    void theNewestSlotOfAllTasksOfTheMethodIsFiredByItsTask() {
        catchUp(
                Duration.ofHours(2),
                "12:00:00",
                NOW,
                task("0 30 * * * *", "half "),
                task("0 55 * * * *", "late "),
                task("* * * * * *", "without slots "));

        assertThat(fired).containsExactly("late 13:55");
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void afterAFiringNothingIsCaughtUp() {
        FiringTask before = task("0 0 * * * *", "");
        before.run(NODE, null);
        fired.clear();
        catchUp(Duration.ofHours(2), "12:00:00", NOW, before);
        assertThat(reads).isZero();

        CompletableFuture<CatchUp.LastRun> read = new CompletableFuture<>();
        FiringTask meanwhile = task("0 0 * * * *", "");
        catchUp(Duration.ofHours(2), read, meanwhile);
        meanwhile.run(NODE, null);
        fired.clear();
        read.complete(new CatchUp.LastRun(time(NOW), "2026-11-21T12:00:00Z"));
        runAll();

        assertThat(fired).isEmpty();
    }

    @Test
    void aMethodWithoutTasksWithSlotsReadsNothing() {
        catchUp(Duration.ofHours(2), "12:00:00", NOW, task("* * * * * *", ""));
        catchUp(Duration.ofHours(2), "12:00:00", NOW);

        assertThat(reads).isZero();
    }

    @Test
    void nodesThatStartTogetherReadAtDifferentTimes() {
        for (int i = 0; i < 100; i++) {
            new CatchUp("Job.run", Duration.ofHours(1), CompletableFuture::new).begin(List.of(task("0 0 * * * *", "")));
        }

        assertThat(delays)
                .hasSize(100)
                .allMatch(delay -> !delay.isNegative() && delay.compareTo(Duration.ofSeconds(10)) < 0);
        assertThat(delays.stream().distinct().count()).isGreaterThan(50);
    }

    /** A task runs on the scheduler that its qualifier names, and so does its catch-up. */
    @Test
    void theSchedulerIsThatOfTheTask() {
        FiringTask named = new FiringTask(
                        new Named(), new CronTrigger("0 0 * * * *", ZoneOffset.UTC), clock, null, () -> false)
                .on(scheduler);
        new CatchUp("Job.run", Duration.ofHours(1), CompletableFuture::new).begin(List.of(named));

        assertThat(started)
                .singleElement()
                .isInstanceOfSatisfying(
                        SchedulingAwareRunnable.class,
                        code -> assertThat(code.getQualifier()).isEqualTo("jobs"));
    }

    private static final class Named implements SchedulingAwareRunnable {
        @Override
        public void run() {}

        @Override
        public String getQualifier() {
            return "jobs";
        }
    }

    @Test
    void whatIsFiredLateIsInTheLog(CapturedOutput output) {
        catchUp(Duration.ofHours(2), "12:00:00", "14:10:00", task("0 0 * * * *", ""));

        assertThat(output)
                .containsOnlyOnce(
                        "Firing 'Job.run' 10 min late for 2026-11-21T14:00:00Z: the table shows no run for that"
                                + " time that is done");
    }

    @Test
    void aReadThatTheStoreRejectsIsInTheLog(CapturedOutput output) {
        LeaseStoreException rejected = new LeaseStoreException("Lease 'job': not authorized", null);
        catchUp(
                Duration.ofHours(2),
                CompletableFuture.failedFuture(new CompletionException(rejected)),
                task("0 0 * * * *", ""));

        assertThat(output)
                .containsOnlyOnce("WARN")
                .containsOnlyOnce("No slot of 'Job.run' is caught up: Lease 'job': not authorized");
    }

    @Test
    void aCloseIsNoFailure(CapturedOutput output) {
        LeaseException closed = new LeaseException("Lease manager is closed", null);
        catchUp(Duration.ofHours(2), CompletableFuture.failedFuture(closed), task("0 0 * * * *", ""));

        assertThat(output).doesNotContain("WARN");
    }

    @Test
    void aSchedulerThatRejectsTheFiringFailsNoStart(CapturedOutput output) {
        Mockito.when(scheduler.schedule(Mockito.any(Runnable.class), Mockito.any(Instant.class)))
                .thenThrow(new TaskRejectedException("It has been shut down"));
        catchUp(Duration.ofHours(2), "12:00:00", NOW, task("0 0 * * * *", ""));

        assertThat(output).containsOnlyOnce("No slot of 'Job.run' is caught up: It has been shut down");
    }
}
