package io.leasekit.spring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.expression.StandardBeanExpressionResolver;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.ReflectionUtils;

/** Slots and period of a method, taken from its {@code @Scheduled}. */
class LeaseScheduleTest {

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

    LeaseScheduleTest() {
        Map<String, String> properties =
                Map.of("job.cron", "0 0 3 * * *", "job.zone", "Asia/Tokyo", "job.off", "-", "job.delay", "PT45S");
        beanFactory.addEmbeddedValueResolver(text ->
                new PropertyPlaceholderHelper("${", "}", ":", null, false).replacePlaceholders(text, properties::get));
        beanFactory.setBeanExpressionResolver(new StandardBeanExpressionResolver());
    }

    private LeaseSchedule schedule(String method) {
        return LeaseSchedule.of(
                ReflectionUtils.findMethod(Impl.class, method), Impl.class, beanFactory, name -> Clock.systemUTC());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cron",
                "macro",
                "placeholders",
                "expression",
                "tenSeconds",
                "ofADefaultMethod",
                "ofTheSuperclass",
                "twiceTheSame",
                "composed",
                "cronAsync"
            })
    void aSingleCronExpressionHasSlots(String method) {
        assertThat(schedule(method).hasSlots()).isTrue();
        assertThat(schedule(method).isScheduled()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"twice", "fixedRate", "fixedDelay", "nineSeconds", "disabled", "switchedOff", "noCron"})
    void everythingElseHasNone(String method) {
        assertThat(schedule(method).hasSlots()).isFalse();
        assertThat(schedule(method).isScheduled()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "ofTheInterface", "overridden"})
    void aMethodThatIsNotScheduledSaysNothing(String method) {
        assertThat(schedule(method).isScheduled()).isFalse();
        assertThat(schedule(method).hasSlots()).isFalse();
    }

    @Test
    void theZoneIsTheAnnotations() {
        Instant noonInTokyo = Instant.parse("2026-11-21T03:00:00Z");

        assertThat(schedule("placeholders").slotNearest(noonInTokyo)).isEqualTo("2026-11-20T18:00:00Z");
    }

    @Test
    void aTriggerThatIsSwitchedOffDoesNotCount() {
        assertThat(schedule("onceAndSwitchedOff").hasSlots()).isTrue();
        assertThat(schedule("onceAndSwitchedOff").isSeveral()).isFalse();
        assertThat(schedule("onceAndSwitchedOff").period()).isEqualTo(Duration.ofDays(1));
    }

    @Test
    void severalTriggersHaveTheSchedulerThatAllOfThemName() {
        assertThat(schedule("onOneScheduler").scheduler()).isEqualTo("jobs");
        assertThat(schedule("onTwoSchedulers").scheduler()).isEmpty();
    }

    @Test
    void thePeriodIsTheShortestTimeBetweenTwoFirings() {
        assertThat(schedule("tenSeconds").period()).isEqualTo(Duration.ofSeconds(10));
        assertThat(schedule("nineSeconds").period()).isEqualTo(Duration.ofSeconds(6));
        assertThat(schedule("fixedRate").period()).isEqualTo(Duration.ofMinutes(5));
        assertThat(schedule("fixedDelay").period()).isEqualTo(Duration.ofSeconds(45));
        assertThat(schedule("twice").period()).isNull();
        assertThat(schedule("fixedDelay").isFixedDelay()).isTrue();
        assertThat(schedule("fixedRate").isFixedDelay()).isFalse();
    }

    /** Returns whether a call of a method counts as a firing if a scheduler calls this method of its caller. */
    private boolean isFiring(String method, String methodOfCaller, Function<Runnable, Object> caller) {
        boolean[] firing = {false};
        Firing.of(caller.apply(() -> firing[0] = schedule(method).isFiring()), methodOfCaller);
        return firing[0];
    }

    @Test
    void aCallIsAFiringIfASchedulerMakesIt() {
        assertThat(isFiring("cron", "cron", Subclass::new)).isTrue();
        assertThat(isFiring("ofADefaultMethod", "ofADefaultMethod", LeaseScheduleTest::jdkProxy))
                .isTrue();
        assertThat(schedule("cron").isFiring()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cronAsync", "cronAsynchronous", "cronInBackground"})
    void eachCallOfAnAsynchronousMethodCountsAsAFiring(String method) {
        assertThat(schedule(method).isFiring())
                .as("its thread does not show the caller")
                .isTrue();
    }

    @Test
    void eachCallOfAMethodOfAnAsynchronousClassCountsAsAFiring() {
        Method daily = ReflectionUtils.findMethod(AsynchronousJob.class, "daily");

        assertThat(LeaseSchedule.of(daily, AsynchronousJob.class, beanFactory, name -> Clock.systemUTC())
                        .isFiring())
                .isTrue();
    }

    @Test
    void codeOfTheApplicationMayBeBetweenTheSchedulerAndTheMethod() {
        assertThat(isFiring("cron", "run", body -> body)).isTrue();
    }

    @Test
    void aCallByAnotherScheduledMethodIsNoFiring() {
        assertThat(isFiring("cron", "hourly", OtherJob::new)).isFalse();
        assertThat(isFiring("cron", "cron", OtherJob::new))
                .as("of the same name")
                .isFalse();
        assertThat(isFiring("cron", "macro", Subclass::new))
                .as("of the same class")
                .isFalse();
        assertThat(isFiring("cron", "composed", OtherJob::new)).isFalse();
    }

    private static Object jdkProxy(Runnable body) {
        return Proxy.newProxyInstance(Job.class.getClassLoader(), new Class<?>[] {Job.class}, (proxy, job, none) -> {
            body.run();
            return null;
        });
    }

    static class OtherJob {

        private final Runnable body;

        OtherJob(Runnable body) {
            this.body = body;
        }

        @Scheduled(cron = "@hourly")
        public void hourly() {
            List.of(1).forEach(once -> body.run());
        }

        @Scheduled(fixedDelay = 1)
        @Scheduled(fixedDelay = 2)
        public void cron() {
            body.run();
        }

        @Daily
        public void composed() {
            body.run();
        }
    }

    /** Calls a method where the generated subclass of a proxy would. */
    static class Subclass extends Impl {

        private final Runnable body;

        Subclass(Runnable body) {
            this.body = body;
        }

        @Override
        public void cron() {
            body.run();
        }

        @Override
        @Scheduled(cron = "@hourly")
        public void macro() {
            body.run();
        }
    }

    @Scheduled(cron = "@daily")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Daily {}

    /** Stands for that of Jakarta Concurrency, which Spring accepts in place of {@code Async}. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Asynchronous {}

    @Asynchronous
    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}

    @Asynchronous
    static class AsynchronousJob {
        @Scheduled(cron = "0 0 3 * * *")
        public void daily() {}
    }

    interface Job {
        @Scheduled(cron = "0 0 * * * *")
        void ofTheInterface();

        @Scheduled(cron = "0 0 * * * *")
        default void ofADefaultMethod() {}
    }

    static class Base {
        @Scheduled(cron = "0 0 * * * *")
        public void ofTheSuperclass() {}

        @Scheduled(cron = "0 0 * * * *")
        public void overridden() {}
    }

    static class Impl extends Base implements Job {

        public void plain() {}

        @Scheduled(cron = "0 0 3 * * *")
        public void cron() {}

        @Async
        @Scheduled(cron = "0 0 3 * * *")
        public void cronAsync() {}

        @Asynchronous
        @Scheduled(cron = "0 0 3 * * *")
        public void cronAsynchronous() {}

        @InBackground
        @Scheduled(cron = "0 0 3 * * *")
        public void cronInBackground() {}

        @Scheduled(cron = "@hourly")
        public void macro() {}

        @Scheduled(cron = "${job.cron}", zone = "${job.zone}")
        public void placeholders() {}

        @Scheduled(cron = "#{'0 0 3 * * *'}")
        public void expression() {}

        @Scheduled(cron = "*/10 * * * * *")
        public void tenSeconds() {}

        @Scheduled(cron = "*/9 * * * * *")
        public void nineSeconds() {}

        @Daily
        public void composed() {}

        @Override
        public void ofTheInterface() {}

        @Override
        public void overridden() {}

        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 3 * * *")
        public void twiceTheSame() {}

        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 4 * * *")
        public void twice() {}

        @Scheduled(cron = "0 0 3 * * *", scheduler = "jobs")
        @Scheduled(cron = "0 0 4 * * *", scheduler = "jobs")
        public void onOneScheduler() {}

        @Scheduled(cron = "0 0 3 * * *", scheduler = "jobs")
        @Scheduled(cron = "0 0 4 * * *", scheduler = "others")
        public void onTwoSchedulers() {}

        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "-")
        public void onceAndSwitchedOff() {}

        @Scheduled(fixedRate = 300_000)
        public void fixedRate() {}

        @Scheduled(fixedDelayString = "${job.delay}")
        public void fixedDelay() {}

        @Scheduled(cron = Scheduled.CRON_DISABLED)
        public void disabled() {}

        @Scheduled(cron = "${job.off}")
        public void switchedOff() {}

        @Scheduled(cron = "every morning")
        public void noCron() {}
    }
}
