package io.leasekit.spring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.MovableClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;
import org.springframework.util.ReflectionUtils;

/** The slot of a firing, by the time for which its trigger scheduled it. All clocks stand still. */
class FiringSlotTest {

    private static final String DAY = "2026-11-21T";

    private final CronTrigger hourly = new CronTrigger("0 0 * * * *", ZoneOffset.UTC);
    private final List<Firing> fired = new ArrayList<>();

    /** A scheduler: computes the next time of a task from a time of its clock, and runs the task at another one. */
    private final class Scheduler {
        private final MovableClock clock = new MovableClock(time("00:00:00"));
        private final FiringTask task;
        private final Trigger trigger;

        private Scheduler(CronTrigger cron) {
            task = new FiringTask(() -> fired.add(Firing.current()), cron, clock, null, () -> false);
            trigger = task.noting(cron);
        }

        private void next(String from) {
            clock.now = time(from);
            trigger.nextExecution(new SimpleTriggerContext(clock));
        }

        /** Fires when the node's clock shows this time. */
        private Firing fire(String node) {
            clock.now = time(node);
            task.run();
            return fired.get(fired.size() - 1);
        }
    }

    private static Instant time(String text) {
        return Instant.parse(DAY + text + "Z");
    }

    private static String slot(Firing firing, String dynamoDb) {
        Instant slot = firing.slot(firing.slots(), time(dynamoDb));
        return slot.toString().substring(DAY.length(), DAY.length() + 5);
    }

    @ParameterizedTest
    @CsvSource({
        "10:00:00, 10:00:00, 10:00", // in time
        "10:35:00, 10:35:00, 10:00", // late, and nearer to the next slot
        "10:59:59, 10:59:59, 10:00", // as late as can be
        "11:00:01, 11:00:01, 11:00", // so late that a newer slot is due, which stands for both
        "14:35:00, 14:35:00, 14:00", // after a suspend
        "10:00:00, 10:20:00, 10:00", // the node's clock is behind
        "10:00:00, 09:40:00, 10:00", // ahead
        "10:35:00, 10:15:00, 10:00", // ahead and late
        "10:35:00, 10:55:00, 10:00", // behind and late
        "09:59:00, 09:59:00, 10:00", // set back after the time was computed
        "09:20:00, 09:20:00, 09:00", // set back by more than half the distance: nothing begins long before its time
        "10:00:00, 09:25:00, 09:00", // ahead by more than half the distance: repeats nothing, skips one
    })
    void isTheTimeForWhichItWasScheduled(String node, String dynamoDb, String slot) {
        Scheduler scheduler = new Scheduler(hourly);
        scheduler.next("09:00:01");

        assertThat(slot(scheduler.fire(node), dynamoDb)).isEqualTo(slot);
    }

    @Test
    void isTheNearestToNowIfThatTimeIsUnknown() {
        Scheduler scheduler = new Scheduler(hourly);

        assertThat(slot(scheduler.fire("10:35:00"), "10:35:00")).isEqualTo("11:00");
        assertThat(slot(scheduler.fire("10:25:00"), "10:25:00")).isEqualTo("10:00");
    }

    /** A scheduler of virtual threads computes the next time before the thread of a firing has started. */
    @Test
    void isNotTheNextOneThoughThatIsComputed() {
        Scheduler scheduler = new Scheduler(hourly);
        scheduler.next("09:00:01");
        scheduler.next("10:00:00");

        assertThat(slot(scheduler.fire("10:35:00"), "10:35:00")).isEqualTo("10:00");
        assertThat(slot(scheduler.fire("11:00:00"), "11:00:00")).isEqualTo("11:00");
    }

    @Test
    void isNotThatOfAFiringThatWasRejected() {
        Scheduler scheduler = new Scheduler(hourly);
        scheduler.next("09:00:01"); // rejected
        scheduler.next("10:00:01");
        scheduler.next("11:00:01");

        Firing firing = scheduler.fire("11:00:00");
        assertThat(slot(firing, "10:59:59"))
                .as("DynamoDB's clock is a little behind")
                .isEqualTo("11:00");
        assertThat(firing.delay()).isEqualTo(Duration.ZERO);
        scheduler.next("12:00:01");
        assertThat(slot(scheduler.fire("12:00:00"), "11:59:59")).isEqualTo("12:00");
    }

    @Test
    void timesOfRejectedFiringsAreNotKeptForEver() {
        Scheduler scheduler = new Scheduler(hourly);
        scheduler.next("00:00:00"); // for 01:00
        for (int i = 0; i < 100; i++) {
            scheduler.next("22:00:00"); // for 23:00
        }

        assertThat(scheduler.fire("01:00:00").delay()).as("01:00 is forgotten").isNegative();
    }

    @Test
    void itsDelayCountsFromItsTime() {
        Scheduler scheduler = new Scheduler(hourly);
        scheduler.next("09:00:01");

        assertThat(scheduler.fire("10:35:00").delay()).isEqualTo(Duration.ofMinutes(35));
        assertThat(scheduler.fire("10:35:00").delay()).as("of an unknown time").isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0 0 * * * *, 10:01:00, false", // a minute
        "0 0 * * * *, 10:01:01, true",
        "0 */2 * * * *, 09:03:00, false", // half of the period is a minute
        "0 */2 * * * *, 09:03:01, true",
        "0 * * * * *, 09:01:30, false", // half of the period
        "0 * * * * *, 09:01:31, true",
        "*/6 * * * * *, 09:00:11, false", // at least 5 s
        "*/6 * * * * *, 09:00:12, true",
    })
    void isTooLateByAMinuteOrHalfOfItsPeriod(String cron, String fired, boolean late) {
        Scheduler scheduler = new Scheduler(new CronTrigger(cron, ZoneOffset.UTC));
        scheduler.next("09:00:01"); // the next time is 10:00, 09:02, 09:01 or 09:00:06

        assertThat(schedule().tooLate(scheduler.fire(fired)) != null).isEqualTo(late);
    }

    @Test
    void lateFiringsHaveOneLineAnHour() {
        Scheduler scheduler = new Scheduler(hourly);
        LeaseSchedule schedule = schedule();
        List<String> lines = new ArrayList<>();
        scheduler.next("09:00:01");
        for (String fired : List.of("10:30:00", "11:29:59", "12:30:00", "13:30:00")) {
            Duration late = schedule.tooLate(scheduler.fire(fired));
            if (late != null) {
                lines.add(fired);
            }
            scheduler.next(fired);
        }
        assertThat(lines).containsExactly("10:30:00", "12:30:00", "13:30:00");
    }

    private static LeaseSchedule schedule() {
        return LeaseSchedule.of(
                ReflectionUtils.findMethod(Job.class, "run"),
                Job.class,
                new DefaultListableBeanFactory(),
                name -> Clock.systemUTC());
    }

    static class Job {
        @Scheduled(cron = "@hourly")
        public void run() {}
    }

    @Test
    void aTriggerOfTheApplicationHasNone() {
        FiringTask task = new FiringTask(
                () -> fired.add(Firing.current()),
                new CronTrigger("0 0 * * * *") {},
                Clock.systemUTC(),
                null,
                () -> false);
        task.run();

        assertThat(fired.get(0).slots()).isNull();
        assertThat(task.trigger()).endsWith("instead of a cron expression");
    }
}
