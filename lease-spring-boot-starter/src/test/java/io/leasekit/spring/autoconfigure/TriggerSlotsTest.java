package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.schedule.Firing;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ContextLifecycleScheduledTaskRegistrar;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TriggerTask;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/** The slot of a firing is a time of the trigger that fires, whatever the annotation says. */
@ExtendWith(OutputCaptureExtension.class)
class TriggerSlotsTest {

    private static final Instant NOW = Instant.parse("2026-11-21T12:10:04Z");

    private final InMemoryLeaseStore store = new InMemoryLeaseStore(Clock.fixed(NOW, ZoneOffset.UTC));
    private final ApplicationContextRunner unscheduled = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(LeaseManager.class, () -> LeaseManager.builder(store).build());
    private final ApplicationContextRunner runner = unscheduled.withUserConfiguration(Scheduling.class);

    private void run(ApplicationContextRunner runner, Consumer<ApplicationContext> test) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    @Test
    void anExpressionThatIsEvaluatedTwiceIsThatOfTheTask() {
        run(
                runner.withBean("spread", Spread.class, Spread::new).withBean(Spreading.class),
                context -> assertThat(fired(context, Spreading.class, "run"))
                        .isEqualTo(
                                expression(context).equals("0 0 * * * *")
                                        ? "2026-11-21T12:00:00Z"
                                        : "2026-11-21T12:20:00Z"));
    }

    @Test
    void afterARefreshOfItsScopeItIsThatOfTheNewTask() {
        RefreshScope scope = new RefreshScope();
        runner.withUserConfiguration(Refreshed.class)
                .withInitializer(
                        context -> context.addBeanFactoryPostProcessor(beans -> beans.registerScope("refresh", scope)))
                .withSystemProperties("job.cron=0 0 * * * *")
                .run(context -> {
                    Object before = context.getBean("scopedTarget.refreshed");
                    assertThat(fired(context, before, "run")).isEqualTo("2026-11-21T12:00:00Z");

                    System.setProperty("job.cron", "0 */10 * * * *");
                    scope.refresh();

                    assertThat(fired(context, context.getBean("scopedTarget.refreshed"), "run"))
                            .isEqualTo("2026-11-21T12:10:00Z");
                });
    }

    @Test
    void aTaskOfASchedulingConfigurerIsKnown() {
        run(
                runner.withBean(SwitchedOff.class).withUserConfiguration(Configurer.class),
                context -> assertThat(fired(context, SwitchedOff.class, "run")).isEqualTo("2026-11-21T12:05:00Z"));
    }

    @Test
    void eachBeanOfAClassHasTheSlotsOfItsOwnTask() {
        run(runner.withUserConfiguration(Twins.class), context -> {
            assertThat(fired(context, context.getBean("hourly"), "run")).isEqualTo("2026-11-21T12:00:00Z");
            assertThat(fired(context, context.getBean("often"), "run")).isEqualTo("2026-11-21T12:10:00Z");
        });
    }

    @Test
    void aTriggerThatIsNotKnownHasNoSlotAndIsSaidAtStart(CapturedOutput output) {
        run(runner.withBean(Replaced.class).withUserConfiguration(Replacing.class), context -> {
            assertThat(fired(context, Replaced.class, "run")).isEqualTo("none");
            assertThat(output)
                    .containsOnlyOnce("Method '" + Replaced.class.getName() + ".run' has a cron expression, but");
        });
    }

    @Test
    void aJobThatNoTaskFiresHasNoSlotAndIsSaidAtStart(CapturedOutput output) {
        run(unscheduled.withBean(Hourly.class).withBean(ContextLifecycleScheduledTaskRegistrar.class), context -> {
            assertThat(fired(context, Hourly.class, "run")).isEqualTo("none");
            assertThat(output)
                    .containsOnlyOnce("Method '" + Hourly.class.getName()
                            + ".run' has a cron expression, but no task of Spring's schedulers is known to call it");
        });
    }

    @Test
    void whatIsAsAnnotatedIsNotWarnedOf(CapturedOutput output) {
        run(runner.withBean(Hourly.class), context -> {
            assertThat(fired(context, Hourly.class, "run")).isEqualTo("2026-11-21T12:00:00Z");
            assertThat(output).doesNotContain("'" + Hourly.class.getName());
        });
    }

    @Test
    void aRunOfAnotherExpressionIsWarnedOfOnceWithBoth(CapturedOutput output) {
        try (LeaseManager other = LeaseManager.builder(store).owner("other").build()) {
            var lease = other.acquire(LeaseRequest.of("hourly").once("2026-11-21T11:50:00Z", OnceOrder.GROWING));
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
            lease.close();
        }
        run(runner.withBean(Hourly.class), context -> {
            assertThat(fired(context, Hourly.class, "run")).isEqualTo("2026-11-21T12:00:00Z");
            assertThat(output)
                    .containsOnlyOnce(
                            "The last run of lease 'hourly' was for 2026-11-21T11:50:00Z, which is not a time of"
                                    + " '0 0 * * * *'");
        });
    }

    @Test
    void twoBeansOfOneClassThatShareRunsAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("north", Hourly.class, Hourly::new).withBean("south", Hourly.class, Hourly::new),
                context -> assertThat(output)
                        .containsOnlyOnce(
                                "Beans 'north', 'south' share the lease of '" + Hourly.class.getName() + ".run'"));
    }

    @Test
    void beansWhoseKeysDifferByTheBeanAreNot(CapturedOutput output) {
        run(
                runner.withUserConfiguration(Twins.class),
                context -> assertThat(output).doesNotContain("share"));
    }

    @Test
    void instancesOfAPrototypeAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("jobs", Hourly.class, Hourly::new, definition -> definition.setScope("prototype"))
                        .withBean(
                                "user",
                                Object.class,
                                () -> new Object(),
                                definition -> definition.setDependsOn("jobs")),
                context -> assertThat(output).contains("The instances of prototype 'jobs' share the lease"));
    }

    private static String expression(ApplicationContext context) {
        return context.getBean(ScheduledTaskHolder.class).getScheduledTasks().stream()
                .map(task -> ((CronTask) task.getTask()).getExpression())
                .findFirst()
                .orElseThrow();
    }

    private static String fired(ApplicationContext context, Class<?> type, String method) {
        return fired(context, context.getBean(type), method);
    }

    private static String fired(ApplicationContext context, Object bean, String method) {
        Job.SLOTS.clear();
        Firing.of(bean, method);
        assertThat(Job.SLOTS).hasSize(1);
        return Job.SLOTS.get(0);
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    static class Job {
        static final List<String> SLOTS = new ArrayList<>();

        void ran() {
            SLOTS.add(LeaseContext.current().runName().orElse("none"));
        }
    }

    static class Hourly extends Job {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("hourly")
        public void run() {
            ran();
        }
    }

    static class Spread {
        private final Queue<String> expressions = new ArrayDeque<>(List.of("0 0 * * * *", "0 20 * * * *"));

        /** Differs at each call. Spring's is one of them. */
        public String cron() {
            String cron = expressions.remove();
            expressions.add(cron);
            return cron;
        }
    }

    static class Spreading extends Job {
        @Scheduled(cron = "#{@spread.cron()}", zone = "UTC")
        @DistributedLease("spread")
        public void run() {
            ran();
        }
    }

    @Configuration
    static class Refreshed extends Job {
        @Bean
        @org.springframework.context.annotation.Scope(value = "refresh", proxyMode = ScopedProxyMode.TARGET_CLASS)
        RefreshedJob refreshed() {
            return new RefreshedJob();
        }
    }

    static class RefreshedJob extends Job {
        @Scheduled(cron = "${job.cron}", zone = "UTC")
        @DistributedLease("refreshed")
        public void run() {
            ran();
        }
    }

    static class RefreshScope implements Scope {
        private final Map<String, Object> beans = new HashMap<>();
        private final Map<String, Runnable> destructions = new HashMap<>();

        void refresh() {
            beans.clear();
            destructions.values().forEach(Runnable::run);
            destructions.clear();
        }

        @Override
        public Object get(String name, ObjectFactory<?> factory) {
            return beans.computeIfAbsent(name, none -> factory.getObject());
        }

        @Override
        public Object remove(String name) {
            return beans.remove(name);
        }

        @Override
        public void registerDestructionCallback(String name, Runnable callback) {
            destructions.put(name, callback);
        }

        @Override
        public Object resolveContextualObject(String key) {
            return null;
        }

        @Override
        public String getConversationId() {
            return "refresh";
        }
    }

    static class SwitchedOff extends Job {
        @Scheduled(cron = "-")
        @DistributedLease("switched-off")
        public void run() {
            ran();
        }
    }

    @Configuration
    static class Configurer {
        @Bean
        SchedulingConfigurer configurer(SwitchedOff job) {
            return registrar ->
                    registrar.addCronTask(new CronTask(runnable(job), new CronTrigger("0 5 * * * *", ZoneOffset.UTC)));
        }
    }

    private static ScheduledMethodRunnable runnable(Object bean) {
        try {
            return new ScheduledMethodRunnable(bean, "run");
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    @Configuration
    static class Twins {
        @Bean
        Twin hourly() {
            return new Twin("hourly");
        }

        @Bean
        Twin often() {
            return new Twin("often");
        }

        @Bean
        SchedulingConfigurer configurer(Twin hourly, Twin often) {
            return registrar -> {
                registrar.addCronTask(new CronTask(runnable(hourly), new CronTrigger("0 0 * * * *", ZoneOffset.UTC)));
                registrar.addCronTask(new CronTask(runnable(often), new CronTrigger("0 */10 * * * *", ZoneOffset.UTC)));
            };
        }
    }

    static class Twin extends Job {
        private final String name;

        Twin() {
            this("for the proxy");
        }

        Twin(String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }

        @Scheduled(cron = "-")
        @DistributedLease("twin-#{target.name}")
        public void run() {
            ran();
        }
    }

    static class Replaced extends Job {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("replaced")
        public void run() {
            ran();
        }
    }

    @Configuration
    static class Replacing {
        @Bean
        SchedulingConfigurer configurer(Replaced job) {
            return registrar -> registrar.addTriggerTask(
                    new TriggerTask(runnable(job), context -> Instant.now().plusSeconds(3_600)));
        }
    }
}
