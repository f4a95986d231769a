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
import org.assertj.core.api.InstanceOfAssertFactories;
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

    /** Returns whether a call of a method is a firing while a scheduler runs a task with this text. */
    private boolean isFiring(String method, String task) {
        boolean[] firing = {false};
        CalledMethod called = CalledMethod.of(named(task), getClass().getClassLoader());
        new Firing(new FiringTask(() -> {}, null, Clock.systemUTC(), called, () -> false), Instant.EPOCH, null)
                .run(() -> firing[0] = schedule(method).firing() != null);
        return firing[0];
    }

    private static Runnable named(String text) {
        return new Runnable() {
            @Override
            public void run() {}

            @Override
            public String toString() {
                return text;
            }
        };
    }

    @Test
    void aCallIsAFiringIfASchedulerMakesIt() {
        assertThat(isFiring("cron", Impl.class.getName() + ".cron")).isTrue();
        assertThat(isFiring("cron", Impl.class.getName() + "$$SpringCGLIB$$99.cron"))
                .as("no such class")
                .isFalse();
        assertThat(isFiring("ofTheSuperclass", Base.class.getName() + ".ofTheSuperclass"))
                .isTrue();
        assertThat(isFiring("ofADefaultMethod", Job.class.getName() + ".ofADefaultMethod"))
                .isTrue();
        assertThat(schedule("cron").firing()).isNull();
    }

    /** Spring names the class of the bean, and not that of the method, if the method returns a publisher. */
    @Test
    void aTaskMayNameAProxy() {
        Object proxy = Proxy.newProxyInstance(
                Job.class.getClassLoader(), new Class<?>[] {Job.class}, (called, method, none) -> null);
        assertThat(isFiring("ofADefaultMethod", proxy.getClass().getName() + ".ofADefaultMethod"))
                .isTrue();
        assertThat(isFiring("cron", proxy.getClass().getName() + ".cron")).isFalse();
        Object subclass = ReactiveFirings.proxy(new Impl());
        assertThat(isFiring("cron", subclass.getClass().getName() + ".cron")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"macro", "noSuchMethod", "", "."})
    void aCallByAnotherTaskIsNoFiring(String other) {
        assertThat(isFiring("cron", Impl.class.getName() + "." + other)).isFalse();
        assertThat(isFiring("cron", OtherJob.class.getName() + ".cron")).isFalse();
        assertThat(isFiring("cron", other)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cronAsync", "cronAsynchronous", "cronInBackground"})
    void eachCallOfAnAsynchronousMethodCountsAsItsLastFiring(String method) {
        Firings firings = new Firings(beanFactory);
        beanFactory.registerSingleton(Firings.BEAN_NAME, firings);
        assertThat(schedule(method).firing()).as("it has not fired").isNull();
        FiringTask task = firings.add(named(Impl.class.getName() + "." + method), null, Clock.systemUTC(), () -> false);
        firings.add(named(Impl.class.getName() + ".macro"), null, Clock.systemUTC(), () -> false)
                .run();
        assertThat(schedule(method).firing()).isNull();

        task.run();

        assertThat(schedule(method).firing())
                .as("its thread does not show the caller")
                .isSameAs(task.firings().get(0));
        assertThat(schedule("cron").firing()).isNull();
    }

    @Test
    void tasksThatCallNoKnownMethodAreNotKept() {
        Firings firings = new Firings(new DefaultListableBeanFactory());
        for (int i = 0; i < 3; i++) {
            firings.add(() -> {}, null, Clock.systemUTC(), () -> false);
        }
        assertThat(firings)
                .extracting("tasks")
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .isEmpty();
    }

    @Test
    void theLastTwentyFiringsOfAMethodAreRemembered() {
        Firings firings = new Firings(beanFactory);
        beanFactory.registerSingleton(Firings.BEAN_NAME, firings);
        FiringTask task = firings.add(named(Impl.class.getName() + ".cron"), null, Clock.systemUTC(), () -> false);
        Instant first = Instant.parse("2026-11-21T12:00:00Z");
        for (int i = 0; i < 25; i++) {
            task.run(first.plusSeconds(i), first);
        }

        List<Firing> last = schedule("cron").firings();

        assertThat(last).hasSize(20);
        assertThat(last.get(0).begun()).isEqualTo(first.plusSeconds(24));
        assertThat(last.get(0).delay()).isEqualTo(Duration.ofSeconds(24));
        assertThat(last.get(19).begun()).isEqualTo(first.plusSeconds(5));
        assertThat(schedule("macro").firings()).isEmpty();
    }

    @Test
    void aClassMayBeAsynchronous() {
        Firings firings = new Firings(beanFactory);
        beanFactory.registerSingleton(Firings.BEAN_NAME, firings);
        firings.add(named(AsynchronousJob.class.getName() + ".daily"), null, Clock.systemUTC(), () -> false)
                .run();
        Method daily = ReflectionUtils.findMethod(AsynchronousJob.class, "daily");

        assertThat(LeaseSchedule.of(daily, AsynchronousJob.class, beanFactory, name -> Clock.systemUTC())
                        .firing())
                .isNotNull();
    }

    @Test
    void keysOfLogLinesAreNotRememberedForEver() {
        LeaseSchedule schedule = schedule("cron");
        assertThat(schedule.isFirstDisagreement("key")).isTrue();
        assertThat(schedule.isFirstDisagreement("key")).isFalse();
        assertThat(schedule.isFirstSkip("key", "run")).isTrue();
        assertThat(schedule.isFirstSkip("key", "run")).isFalse();
        for (int i = 0; i < 1000; i++) {
            assertThat(schedule.isFirstDisagreement("key-" + i)).isTrue();
            assertThat(schedule.isFirstSkip("key-" + i, "run")).isTrue();
        }
        assertThat(schedule.isFirstDisagreement("key")).as("forgotten").isTrue();
        assertThat(schedule.isFirstSkip("key", "run")).as("forgotten").isTrue();
    }

    static class OtherJob {

        @Scheduled(cron = "@hourly")
        public void cron() {}
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
