package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.schedule.TestFiring;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.RandomValuePropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ContextLifecycleScheduledTaskRegistrar;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
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

                    assertThat(context.getBean("scopedTarget.refreshed")).isNotSameAs(before);
                    List<Runnable> tasks = TestFiring.tasks(context, RefreshedJob.class, "run");
                    assertThat(fired(tasks.get(tasks.size() - 1))).isEqualTo("2026-11-21T12:10:00Z");
                });
    }

    @Test
    void aTaskOfASchedulingConfigurerIsKnown() {
        run(
                runner.withBean(SwitchedOff.class).withUserConfiguration(Configurer.class),
                context -> assertThat(fired(context, SwitchedOff.class, "run")).isEqualTo("2026-11-21T12:05:00Z"));
    }

    @Test
    void theClockIsThatOfTheSchedulerThatAPlaceholderNames() {
        run(
                runner.withUserConfiguration(Zones.class)
                        .withBean(OnANamedScheduler.class)
                        .withPropertyValues("job.scheduler=india"),
                context -> assertThat(fired(context, OnANamedScheduler.class, "run"))
                        .isEqualTo("2026-11-21T12:30:00Z"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Zones {
        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            return scheduler("UTC");
        }

        @Bean
        ThreadPoolTaskScheduler india() {
            return scheduler("Asia/Kolkata");
        }

        private static ThreadPoolTaskScheduler scheduler(String zone) {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setClock(Clock.system(ZoneId.of(zone)));
            return scheduler;
        }
    }

    static class OnANamedScheduler extends Job {
        @Scheduled(cron = "0 0 * * * *", scheduler = "${job.scheduler}")
        @DistributedLease("hourly")
        public void run() {
            ran();
        }
    }

    @Test
    void eachBeanOfAClassHasTheSlotsOfItsOwnTask() {
        run(runner.withUserConfiguration(Twins.class), context -> {
            List<Runnable> tasks = TestFiring.tasks(context, Twin.class, "run");
            assertThat(fired(tasks.get(0))).isEqualTo("2026-11-21T12:00:00Z");
            assertThat(fired(tasks.get(1))).isEqualTo("2026-11-21T12:10:00Z");
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
            assertThat(called(context, Hourly.class)).isEqualTo("none");
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
    void beansWhoseKeysHaveTheirNamesAreNot(CapturedOutput output) {
        run(runner.withBean("north", Named.class).withBean("south", Named.class), context -> {
            assertThat(keyOf(context, "north")).isEqualTo("sync-north");
            assertThat(keyOf(context, "south")).isEqualTo("sync-south");
            assertThat(output).doesNotContain("share");
        });
    }

    private static String keyOf(ApplicationContext context, String bean) {
        Named.KEYS.clear();
        TestFiring.of(context.getBean(bean), "run");
        return Named.KEYS.get(0);
    }

    static class Named implements BeanNameAware {
        static final List<String> KEYS = new CopyOnWriteArrayList<>();
        private String beanName;

        @Override
        public void setBeanName(String name) {
            beanName = name;
        }

        public String getBeanName() {
            return beanName;
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("sync-#{target.beanName}")
        public void run() {
            KEYS.add(LeaseContext.current().key());
        }
    }

    @Test
    void beansOfAnInnerClassShareItsDefaultKeyAndAreWarnedOf(CapturedOutput output) {
        Region north = new Region();
        Region south = new Region();
        run(
                runner.withBean("north", Region.Import.class, () -> north.new Import())
                        .withBean("south", Region.Import.class, () -> south.new Import()),
                context -> assertThat(output)
                        .containsOnlyOnce("Beans 'north', 'south' share the lease of '" + Region.Import.class.getName()
                                + ".run'"));
    }

    static class Region {
        class Import extends Job {
            @Scheduled(cron = "0 0 * * * *", zone = "UTC")
            @DistributedLease
            public void run() {
                ran();
            }
        }
    }

    @Test
    void beansOfAGenericClassShareItsDefaultKeyAndAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("texts", Importer.class, () -> new Importer<String>())
                        .withBean("numbers", Importer.class, () -> new Importer<Integer>()),
                context -> assertThat(output)
                        .containsOnlyOnce(
                                "Beans 'numbers', 'texts' share the lease of '" + Importer.class.getName() + ".run'"));
    }

    @Test
    void subclassesOfAGenericClassHaveDefaultKeysOfTheirOwn(CapturedOutput output) {
        run(runner.withBean(Texts.class).withBean(Numbers.class), context -> {
            assertThat(fired(context, Texts.class, "run")).isEqualTo("2026-11-21T12:00:00Z");
            assertThat(fired(TestFiring.tasks(context, Numbers.class, "run").get(1)))
                    .isEqualTo("2026-11-21T12:00:00Z");
            assertThat(output).doesNotContain("share");
        });
    }

    static class Importer<T> extends Job {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease
        public void run() {
            ran();
        }
    }

    static class Texts extends Importer<String> {}

    static class Numbers extends Importer<Integer> {}

    @Test
    void subclassesThatInheritAConstantKeyAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean(HourlyTexts.class).withBean(HourlyNumbers.class),
                context -> assertThat(output)
                        .containsOnlyOnce(
                                "Methods '" + HourlyNumbers.class.getName() + ".run', '" + HourlyTexts.class.getName()
                                        + ".run' have cron expressions and share lease key 'hourly'"));
    }

    static class HourlyTexts extends Hourly {}

    static class HourlyNumbers extends Hourly {}

    @Test
    void aRandomExpressionIsThatOfTheTask() {
        run(
                runner.withInitializer(context -> RandomValuePropertySource.addToEnvironment(context.getEnvironment()))
                        .withBean(AtRandom.class),
                context -> assertThat(fired(context, AtRandom.class, "run"))
                        .endsWith(":" + expression(context).split(" ")[1] + ":00Z"));
    }

    @Test
    void aZoneMayBeAPlaceholder() {
        run(
                runner.withPropertyValues("job.zone=Asia/Tokyo").withBean(InAZone.class),
                context -> assertThat(fired(context, InAZone.class, "run")).isEqualTo("2026-11-21T03:00:00Z"));
    }

    @Test
    void aDelayHasNoSlot() {
        run(
                runner.withPropertyValues("job.delay=PT1H").withBean(Delayed.class),
                context -> assertThat(fired(context, Delayed.class, "run")).isEqualTo("none"));
    }

    @Test
    void aLazyBeanHasThoseOfItsTask() {
        run(
                runner.withBean(Hourly.class, Hourly::new, definition -> definition.setLazyInit(true)),
                context -> assertThat(fired(context, Hourly.class, "run")).isEqualTo("2026-11-21T12:00:00Z"));
    }

    @Test
    void aJdkProxyHasThoseOfItsTask() {
        run(
                runner.withInitializer(context -> AopConfigUtils.registerAutoProxyCreatorIfNecessary(
                                (BeanDefinitionRegistry) context.getBeanFactory()))
                        .withBean("reports", HourlyReports.class, HourlyReports::new),
                context -> {
                    assertThat(context.getBean("reports")).isNotInstanceOf(HourlyReports.class);
                    assertThat(fired(context, context.getBean("reports"), "run"))
                            .isEqualTo("2026-11-21T12:00:00Z");
                });
    }

    @Test
    void anAsynchronousMethodHasThoseOfItsTask() {
        run(
                runner.withUserConfiguration(Asynchronous.class).withBean(AsyncHourly.class),
                context -> assertThat(fired(context, AsyncHourly.class, "run")).isEqualTo("2026-11-21T12:00:00Z"));
    }

    @Test
    void aTaskPastTheRegistrarIsAnOrdinaryCall() {
        run(
                unscheduled
                        .withBean(SwitchedOff.class)
                        .withBean("tasks", ContextLifecycleScheduledTaskRegistrar.class)
                        .withBean(XmlTasks.class),
                context -> assertThat(called(context, SwitchedOff.class)).isEqualTo("none"));
    }

    @Test
    void aTaskThatReplacesThatOfTheAnnotationIsTheOneThatFires() {
        run(
                runner.withBean(Hourly.class).withBean(MovingConfigurer.class),
                context -> assertThat(fired(context, Hourly.class, "run")).isEqualTo("2026-11-21T12:05:00Z"));
    }

    @Test
    void aTaskThatHidesWhatItCallsHasNoSlotAndIsSaidAtStart(CapturedOutput output) {
        run(runner.withBean(Hourly.class).withBean(HidingConfigurer.class), context -> {
            assertThat(called(context, Hourly.class)).isEqualTo("none");
            assertThat(output).contains("no task of Spring's schedulers is known to call it");
        });
    }

    @Test
    void eachTaskOfAMethodHasItsOwnSlots() {
        run(runner.withBean("gate", RequestLimiter.class, RequestLimiter::new).withBean(Twice.class), context -> {
            List<Runnable> tasks = TestFiring.tasks(context, Twice.class, "run");
            assertThat(fired(tasks.get(0))).isEqualTo("2026-11-21T12:00:00Z");
            assertThat(fired(tasks.get(1))).isEqualTo("2026-11-21T12:20:00Z");
        });
    }

    /** The scheduler tells which task a thread runs. */
    @Test
    void aFiringHasItsSlotWhileAnotherTaskOfTheMethodRuns() {
        List<Runnable> firings = new ArrayList<>();
        run(
                runner.withBean("gate", RequestLimiter.class, RequestLimiter::new)
                        .withBean(Twice.class)
                        .withBean("taskScheduler", TaskScheduler.class, () -> scheduler(firings)),
                context -> {
                    Job.SLOTS.clear();
                    RequestLimiter limiter = context.getBean(RequestLimiter.class);
                    limiter.body = () -> {
                        limiter.body = () -> {};
                        CompletableFuture.runAsync(firings.get(1)).join();
                    };

                    firings.get(0).run();

                    assertThat(Job.SLOTS).containsExactly("2026-11-21T12:00:00Z", "2026-11-21T12:20:00Z");
                });
    }

    @Test
    void theRunOfAnotherTriggerOfTheMethodIsNoOtherExpression(CapturedOutput output) {
        List<Runnable> firings = new ArrayList<>();
        run(
                runner.withBean(TwoTimes.class)
                        .withBean("taskScheduler", TaskScheduler.class, () -> scheduler(firings)),
                context -> {
                    Job.SLOTS.clear();

                    firings.get(0).run();
                    firings.get(1).run();

                    assertThat(Job.SLOTS).containsExactly("2026-11-21T12:00:00Z", "2026-11-21T12:20:00Z");
                    assertThat(output).doesNotContain("which is not a time of");
                });
    }

    /** Returns a scheduler that fires only when the test does: by these runnables. */
    private static TaskScheduler scheduler(List<Runnable> firings) {
        TaskScheduler scheduler = mock(TaskScheduler.class);
        when(scheduler.getClock()).thenReturn(Clock.systemUTC());
        when(scheduler.schedule(any(Runnable.class), any(Trigger.class))).thenAnswer(call -> {
            firings.add(call.getArgument(0));
            return mock(ScheduledFuture.class);
        });
        return scheduler;
    }

    @Test
    void aFiringThatIsSkippedForALaterTimeIsWarnedOf(CapturedOutput output) {
        try (LeaseManager other = LeaseManager.builder(store).owner("other").build()) {
            var lease = other.acquire(LeaseRequest.of("hourly").once("2026-11-21T13:00:00Z", OnceOrder.GROWING));
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
            lease.close();
        }
        run(runner.withBean(Hourly.class), context -> {
            Job.SLOTS.clear();
            TestFiring.tasks(context, Hourly.class, "run").get(0).run();
            TestFiring.tasks(context, Hourly.class, "run").get(0).run();

            assertThat(Job.SLOTS).isEmpty();
            assertThat(output)
                    .containsOnlyOnce("for 2026-11-21T12:00:00Z is skipped: the last run of lease 'hourly' was for"
                            + " '2026-11-21T13:00:00Z', which is later");
        });
    }

    @Test
    void aRepeatedFiringOfOneSlotIsNotWarnedOf(CapturedOutput output) {
        run(runner.withBean(Hourly.class), context -> {
            assertThat(fired(context, Hourly.class, "run")).isEqualTo("2026-11-21T12:00:00Z");
            TestFiring.tasks(context, Hourly.class, "run").get(0).run();

            assertThat(Job.SLOTS).hasSize(1);
            assertThat(output).doesNotContain("is skipped");
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPoolTaskScheduler.class, SimpleAsyncTaskScheduler.class})
    void aRealSchedulerFiresForItsSlot(Class<? extends TaskScheduler> type) {
        Job.SLOTS.clear();
        run(
                runner.withBean("taskScheduler", TaskScheduler.class, () -> shortBeforeNoon(type))
                        .withBean(Hourly.class),
                context -> Awaitility.await()
                        .atMost(Duration.ofMinutes(10))
                        .untilAsserted(() -> assertThat(Job.SLOTS).containsExactly("2026-11-21T12:00:00Z")));
    }

    /** Its next full hour is in half a second, however long the context takes to start: its clock stands still. */
    private static TaskScheduler shortBeforeNoon(Class<? extends TaskScheduler> type) {
        Clock clock = Clock.fixed(Instant.parse("2026-11-21T11:59:59.500Z"), ZoneOffset.UTC);
        if (type == SimpleAsyncTaskScheduler.class) {
            SimpleAsyncTaskScheduler virtual = new SimpleAsyncTaskScheduler();
            virtual.setVirtualThreads(Runtime.version().feature() >= 21);
            virtual.setClock(clock);
            return virtual;
        }
        ThreadPoolTaskScheduler pool = new ThreadPoolTaskScheduler();
        pool.setClock(clock);
        return pool;
    }

    @Test
    void beansThatAreToldApartByNameAreNotWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("north", Named.class, Named::new).withBean("south", Named.class, Named::new),
                context -> assertThat(output).doesNotContain("share the lease"));
    }

    @Test
    void beansThatShareNamedRunsAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("north", Imports.class, Imports::new).withBean("south", Imports.class, Imports::new),
                context -> assertThat(output)
                        .containsOnlyOnce(
                                "Beans 'north', 'south' share the lease of '" + Imports.class.getName() + ".run'"));
    }

    @Test
    void beansThatShareAHoldAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("north", Held.class, Held::new).withBean("south", Held.class, Held::new),
                context -> assertThat(output)
                        .containsOnlyOnce(
                                "Beans 'north', 'south' share the lease of '" + Held.class.getName() + ".run'"));
    }

    @Test
    void productsOfFactoriesThatShareRunsAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean("north", HeldFactory.class, HeldFactory::new)
                        .withBean("south", HeldFactory.class, HeldFactory::new)
                        .withBean(HeldUser.class),
                context -> assertThat(output)
                        .containsOnlyOnce(
                                "Beans 'north', 'south' share the lease of '" + Held.class.getName() + ".run'"));
    }

    @Test
    void subclassesOfAGenericClassThatShareAKeyAreWarnedOf(CapturedOutput output) {
        run(
                runner.withBean(OfNames.class).withBean(OfNumbers.class),
                context -> assertThat(output)
                        .containsOnlyOnce("Methods '" + OfNames.class.getName() + ".run', '" + OfNumbers.class.getName()
                                + ".run' have cron expressions and share lease key 'generic'"));
    }

    /** Spring decides: a method counts as scheduled exactly where Spring has a task for it. */
    @ParameterizedTest
    @ValueSource(
            classes = {
                OverridingInterface.class,
                OverridingClass.class,
                InheritingInterface.class,
                InheritingClass.class,
                OfBridge.class
            })
    void aMethodIsScheduledWhereSpringFiresIt(Class<? extends Runnable> type, CapturedOutput output) {
        try (LeaseManager other = LeaseManager.builder(store).owner("other").build();
                var held = other.acquire(LeaseRequest.of("rate"))) {
            assertThat(held.isValid()).isTrue();
            run(runner.withBean(type), context -> {
                boolean fires = !context.getBean(ScheduledTaskHolder.class)
                        .getScheduledTasks()
                        .isEmpty();
                ThrowingCallable byHand = context.getBean(type)::run;

                assertThat(fires).isEqualTo(!type.getSimpleName().startsWith("Overriding"));
                assertThat(output.toString().contains("run' is scheduled and runs on every node"))
                        .isEqualTo(fires);
                if (fires) {
                    assertThatCode(byHand).as("is skipped").doesNotThrowAnyException();
                } else {
                    assertThatThrownBy(byHand).isInstanceOf(LeaseUnavailableException.class);
                }
            });
        }
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
        return fired(
                TestFiring.tasks(context, AopUtils.getTargetClass(bean), method).get(0));
    }

    /** Returns the slot of a bean's method that is called past the registrar. */
    private static String called(ApplicationContext context, Class<?> type) {
        assertThat(TestFiring.tasks(context, type, "run")).isEmpty();
        return fired(() -> TestFiring.pastTheRegistrar(context.getBean(type), "run"));
    }

    private static String fired(Runnable firing) {
        Job.SLOTS.clear();
        firing.run();
        assertThat(Job.SLOTS).hasSize(1);
        return Job.SLOTS.get(0);
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    interface AtARate extends Runnable {
        @Override
        @Scheduled(fixedRateString = "PT1H", initialDelayString = "PT24H")
        void run();
    }

    interface AtADefaultRate extends Runnable {
        @Override
        @Scheduled(fixedRateString = "PT1H", initialDelayString = "PT24H")
        @DistributedLease("rate")
        default void run() {}
    }

    /** Package-private, so the compiler adds a bridge method with the annotations to a public subclass. */
    static class AtARateItself implements Runnable {
        @Override
        @Scheduled(fixedRateString = "PT1H", initialDelayString = "PT24H")
        @DistributedLease("rate")
        public void run() {}
    }

    static class OverridingInterface implements AtARate {
        @Override
        @DistributedLease("rate")
        public void run() {}
    }

    static class OverridingClass extends AtARateItself {
        @Override
        @DistributedLease("rate")
        public void run() {}
    }

    static class InheritingInterface implements AtADefaultRate {}

    static class InheritingClass extends AtARateItself {}

    public static class OfBridge extends AtARateItself {}

    static class Job {
        static final List<String> SLOTS = new CopyOnWriteArrayList<>();

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

    static class AtRandom extends Job {
        @Scheduled(cron = "0 ${random.int(10,59)} * * * *", zone = "UTC")
        @DistributedLease("at-random")
        public void run() {
            ran();
        }
    }

    static class InAZone extends Job {
        @Scheduled(cron = "0 0 12 * * *", zone = "${job.zone}")
        @DistributedLease("in-a-zone")
        public void run() {
            ran();
        }
    }

    static class Delayed extends Job {
        @Scheduled(fixedDelayString = "${job.delay}", initialDelayString = "PT24H")
        @DistributedLease("delayed")
        public void run() {
            ran();
        }
    }

    interface LeaseNotifier {
        void run();
    }

    static class HourlyReports extends Job implements LeaseNotifier {
        @Override
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("reports")
        public void run() {
            ran();
        }
    }

    @Configuration
    @EnableAsync
    static class Asynchronous {
        /** Runs each call on another thread and waits for its end. */
        @Bean
        Executor taskExecutor() {
            return call -> CompletableFuture.runAsync(call).join();
        }
    }

    static class AsyncHourly extends Job {
        @Async
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("async")
        public void run() {
            ran();
        }
    }

    /** Does what {@code <task:scheduled-tasks>} does. */
    static class XmlTasks {
        XmlTasks(ContextLifecycleScheduledTaskRegistrar registrar, SwitchedOff job) {
            registrar.addCronTask(new CronTask(runnable(job), new CronTrigger("0 5 * * * *", ZoneOffset.UTC)));
        }
    }

    /** Gives the code of each task another time, as some applications do to add a jitter. */
    static class MovingConfigurer implements SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.setCronTasksList(registrar.getCronTaskList().stream()
                    .map(task -> new CronTask(task.getRunnable(), new CronTrigger("0 5 * * * *", ZoneOffset.UTC)))
                    .toList());
        }
    }

    static class HidingConfigurer implements SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.setCronTasksList(registrar.getCronTaskList().stream()
                    .map(task -> new CronTask(
                            () -> task.getRunnable().run(), new CronTrigger("0 5 * * * *", ZoneOffset.UTC)))
                    .toList());
        }
    }

    static class TwoTimes extends Job {

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @Scheduled(cron = "0 20 * * * *", zone = "UTC")
        @DistributedLease("two-times")
        public void run() {
            ran();
        }
    }

    static class Twice extends Job {
        private final RequestLimiter limiter;

        Twice(RequestLimiter limiter) {
            this.limiter = limiter;
        }

        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @Scheduled(cron = "0 20 * * * *", zone = "UTC")
        @DistributedLease("#{@gate.key()}")
        public void run() {
            ran();
            limiter.body.run();
        }
    }

    static class Imports {
        @DistributedLease(key = "import", once = "#{#file}")
        public void run(String file) {}
    }

    static class Held {
        @Scheduled(fixedRateString = "PT1H", initialDelayString = "PT24H")
        @DistributedLease(key = "held", holdAtLeast = "50m")
        public void run() {}
    }

    static class HeldFactory implements FactoryBean<Held> {
        @Override
        public Held getObject() {
            return new Held();
        }

        @Override
        public Class<?> getObjectType() {
            return Held.class;
        }
    }

    static class HeldUser {
        HeldUser(List<Held> created) {}
    }

    abstract static class Generic<T> {
        @Scheduled(cron = "0 0 * * * *", zone = "UTC")
        @DistributedLease("generic")
        public void run() {}
    }

    static class OfNames extends Generic<String> {}

    static class OfNumbers extends Generic<Integer> {}

    /** Gives each call a key of its own, and lets other code run before the call has its slot. */
    static class RequestLimiter {
        private final AtomicInteger calls = new AtomicInteger();
        private volatile Runnable body = () -> {};

        public String key() {
            return "call-" + calls.incrementAndGet();
        }
    }
}
