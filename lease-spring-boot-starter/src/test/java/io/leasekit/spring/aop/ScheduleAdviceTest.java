package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** Warnings at start-up about misleading schedules. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduleAdviceTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());

    @AfterEach
    void closeTheManagers() {
        beans.close();
    }

    private void prepare(Object bean) {
        beans.advise(bean);
        beans.advisor.prepare();
    }

    private static String name(Class<?> type) {
        return type.getName() + ".run";
    }

    @Test
    void aFixedDelayWithoutACooldownIsRunByEveryNodeInTurn(CapturedOutput output) {
        prepare(new Delayed());

        assertThat(output)
                .containsOnlyOnce("Method '" + name(Delayed.class)
                        + "' is scheduled and runs on every node, never on two at the same time. To apply the delay across all"
                        + " nodes, set 'cooldown' to the delay minus 3 s");
    }

    @Test
    void soIsAFixedRate(CapturedOutput output) {
        prepare(new Rated());

        assertThat(output)
                .containsOnlyOnce("Method '" + name(Rated.class)
                        + "' is scheduled and runs on every node, never on two at the same time. To run it on one node each"
                        + " time, set 'holdAtLeast' to the period minus 3 s");
    }

    @ParameterizedTest
    @ValueSource(classes = {Started.class, StartedByAnInterface.class, StartedAndBySlot.class})
    void aTaskThatFiresOnceIsRunByEveryNode(Class<?> type, CapturedOutput output) throws Exception {
        prepare(type.getDeclaredConstructor().newInstance());

        assertThat(output)
                .containsOnlyOnce("Method '" + name(type)
                        + "' is scheduled once after the start of each node and runs on every node, never on two at the same time. To"
                        + " run it on one node only, name its run with 'once', for example after a version.");
    }

    @Test
    void nothingIsSaidOfOthers(CapturedOutput output) {
        prepare(new BySlot());
        prepare(new Cooled());
        prepare(new Unscheduled());
        prepare(new Disabled());
        prepare(new StartedOnce());
        prepare(new StartedLate());

        assertThat(output).doesNotContain("scheduled");
    }

    @Test
    void aHoldWithin3SecondsOfThePeriodIsWarnedOf(CapturedOutput output) {
        prepare(new TooLong());

        assertThat(output)
                .contains("WARN")
                .containsOnlyOnce("Method '" + name(TooLong.class)
                        + "' is scheduled every 1 min and its holdAtLeast is 57.001 s, which may block the next firing. Make"
                        + " it at least 3 s shorter than the period");
    }

    @Test
    void soIsACooldown(CapturedOutput output) {
        prepare(new CooledTooLong());

        assertThat(output).containsOnlyOnce("is scheduled every 1 min and its cooldown is 1 min, which may block");
    }

    @Test
    void jobsThatShareTheSlotsOfAKeyAreWarnedOf(CapturedOutput output) {
        beans.advise(new Importing());
        prepare(new CleaningUp());

        assertThat(output)
                .contains("WARN")
                .containsOnlyOnce("Methods '" + CleaningUp.class.getName() + ".run', '" + name(Importing.class)
                        + "' have cron expressions and share lease key 'warehouse', which has one run for each time:"
                        + " if two fire at the same time, only one runs. Give each method its own key, or set"
                        + " 'once' to DistributedLease.NEVER");
    }

    @Test
    void jobsWithKeysOfTheirOwnAreNot(CapturedOutput output) {
        beans.advise(new Importing());
        prepare(new BySlot());

        assertThat(output).doesNotContain("WARN");
    }

    static class Importing {
        @Scheduled(cron = "0 0 2 * * *")
        @DistributedLease("warehouse")
        public void run() {}
    }

    static class CleaningUp {
        @Scheduled(cron = "0 0 * * * *")
        @DistributedLease("warehouse")
        public void run() {}
    }

    static class Delayed {
        @Scheduled(fixedDelay = 60_000)
        @DistributedLease("delayed")
        public void run() {}
    }

    static class Rated {
        @Scheduled(fixedRate = 60_000)
        @DistributedLease("rated")
        public void run() {}
    }

    static class BySlot {
        @Scheduled(cron = "0 * * * * *")
        @DistributedLease(key = "by-slot", holdAtLeast = "57s")
        public void run() {}
    }

    static class Cooled {
        @Scheduled(fixedDelay = 60_000)
        @DistributedLease(key = "cooled", cooldown = "57s")
        public void run() {}
    }

    static class Started {
        @Scheduled(initialDelayString = "PT1S")
        @DistributedLease("started")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Scheduled(initialDelay = 0)
    @interface AtStart {}

    interface Leased {
        @DistributedLease("by-interface")
        void run();
    }

    static class StartedByAnInterface implements Leased {
        @Override
        @AtStart
        public void run() {}
    }

    static class StartedAndBySlot {
        @Scheduled(initialDelay = 0)
        @Scheduled(cron = "0 * * * * *")
        @DistributedLease("started-and-by-slot")
        public void run() {}
    }

    static class StartedOnce {
        @Scheduled(initialDelay = 0)
        @DistributedLease(key = "started-once", once = "v3")
        public void run() {}
    }

    static class StartedLate {
        @Scheduled(initialDelay = 1000, fixedDelayString = "PT1M")
        @DistributedLease(key = "started-late", cooldown = "57s")
        public void run() {}
    }

    static class Unscheduled {
        @DistributedLease("unscheduled")
        public void run() {}
    }

    static class Disabled {
        @Scheduled(cron = "-")
        @DistributedLease("disabled")
        public void run() {}
    }

    static class TooLong {
        @Scheduled(cron = "0 * * * * *")
        @DistributedLease(key = "too-long", holdAtLeast = "57001ms")
        public void run() {}
    }

    static class CooledTooLong {
        @Scheduled(fixedDelay = 60_000)
        @DistributedLease(key = "cooled-too-long", cooldown = "1m")
        public void run() {}
    }
}
