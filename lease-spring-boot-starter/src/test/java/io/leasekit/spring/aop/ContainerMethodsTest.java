package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextStartedEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.converter.Converter;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/** Methods by which Spring's container asks, starts and stops a bean. */
@Tag("boot3")
@ExtendWith(OutputCaptureExtension.class)
class ContainerMethodsTest {

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final LeaseManager others = LeasedBeans.manager(table, "other");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class, () -> table);

    @AfterEach
    void close() {
        others.close();
    }

    @Test
    void anAnnotatedClassAnswersAndStopsWhileAnotherNodeHoldsItsLease() {
        Lease held = others.acquire("everything");
        List<String> calls = new ArrayList<>();
        runner.withBean(Everything.class, () -> new Everything(calls)).run(context -> {
            assertThat(context).hasNotFailed();
            Everything bean = context.getBean(Everything.class);
            assertThat(bean.getOrder()).isEqualTo(7);
            assertThat(bean.getExitCode()).isEqualTo(3);
            assertThat(calls).contains("start", "singletons");
        });
        assertThat(calls).contains("stop").doesNotContain("event");
        held.close();
    }

    @Test
    void itsWorkRunsUnderTheLease() {
        List<String> calls = new ArrayList<>();
        runner.withBean(Everything.class, () -> new Everything(calls)).run(context -> {
            context.getSourceApplicationContext().start();
            Everything bean = context.getBean(Everything.class);
            bean.run(null);
            assertThat(bean.work()).isTrue();
        });
        assertThat(calls).contains("event under its lease", "run under its lease");
    }

    @Test
    void aWarningNamesThoseThatMayBeMeant(CapturedOutput output) {
        runner.withBean(Everything.class, () -> new Everything(new ArrayList<>()))
                .run(context -> {});
        String begin = "Method '" + Everything.class.getName() + ".";
        assertThat(output)
                .containsOnlyOnce(
                        begin + "start' runs without a lease, although its class has @DistributedLease, because it"
                                + " implements an interface of Spring for its container. If it needs the lease, annotate the"
                                + " method")
                .containsOnlyOnce(begin + "configureTasks' runs without a lease")
                .doesNotContain(begin + "getOrder'")
                .doesNotContain(begin + "isRunning'")
                .doesNotContain(begin + "stop'")
                .doesNotContain(begin + "supportsEventType'");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OrderUnderLease.class,
                PhaseUnderLease.class,
                StopUnderLease.class,
                AsyncStopUnderLease.class,
                SupportUnderLease.class
            })
    void anAnnotationOnAMethodThatSpringNeedsAtAnyTimeIsRefused(Class<?> type) {
        runner.withBean("job", type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageStartingWith("@DistributedLease on '" + type.getName() + ".")
                        .hasMessageEndingWith(
                                "': Spring's container calls the method of bean 'job' to ask or to stop the bean,"
                                        + " also while another node holds the lease"));
    }

    @Test
    void itAnswersForEachKindOfInterface() {
        Lease held = others.acquire("kinds");
        runner.withBean(Kinds.class).run(context -> {
            assertThat(context).hasNotFailed();
            Kinds bean = context.getBean(Kinds.class);
            assertThat(bean.nextExecution(null)).isEqualTo(Instant.EPOCH);
            assertThat(bean.supports(String.class)).isTrue();
            assertThat(bean.convert("7")).isEqualTo(7);
            assertThat(bean.getAsyncExecutor()).isNull();
            assertThat(bean.supportsEventType(ResolvableType.forClass(ContextStartedEvent.class)))
                    .isTrue();
            assertThat(bean.getOrder()).isEqualTo(Ordered.LOWEST_PRECEDENCE); // of the interface
            assertThatExceptionOfType(LeaseUnavailableException.class).isThrownBy(bean::work);
        });
        held.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {OfBase.class, OfAnnotatedInterface.class})
    void itAnswersBehindAJdkProxy(Class<?> type) {
        Lease held = others.acquire("ordered");
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("ordered", type)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(((Ordered) context.getBean("ordered")).getOrder())
                            .isEqualTo(7);
                    assertThatExceptionOfType(LeaseUnavailableException.class)
                            .isThrownBy(((OrderedWork) context.getBean("ordered"))::work);
                });
        held.close();
    }

    @Test
    void anAnnotationOnStartIsAccepted() {
        runner.withBean(StartUnderLease.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(StartUnderLease.class).isRunning()).isTrue();
        });
    }

    @DistributedLease("everything")
    static class Everything
            implements SmartLifecycle,
                    SmartApplicationListener,
                    PriorityOrdered,
                    SchedulingConfigurer,
                    SmartInitializingSingleton,
                    ExitCodeGenerator,
                    ApplicationRunner {

        private final List<String> calls;
        private volatile boolean running;

        Everything(List<String> calls) {
            this.calls = calls;
        }

        private void add(String call) {
            calls.add(LeaseContext.find().isPresent() ? call + " under its lease" : call);
        }

        public boolean work() {
            return LeaseContext.find().isPresent();
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {
            add("event");
        }

        @Override
        public void run(ApplicationArguments arguments) {
            add("run");
        }

        @Override
        public void start() {
            running = true;
            add("start");
        }

        @Override
        public void stop() {
            running = false;
            add("stop");
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return Integer.MAX_VALUE;
        }

        @Override
        public int getOrder() {
            return 7;
        }

        @Override
        public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
            return type == ContextStartedEvent.class;
        }

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            add("configure");
        }

        @Override
        public void afterSingletonsInstantiated() {
            add("singletons");
        }

        @Override
        public int getExitCode() {
            return 3;
        }
    }

    static class OrderUnderLease implements Ordered {
        @Override
        @DistributedLease("order")
        public int getOrder() {
            return 0;
        }
    }

    static class PhaseUnderLease implements Phased {
        @Override
        @DistributedLease("phase")
        public int getPhase() {
            return 0;
        }
    }

    static class StopUnderLease extends StartUnderLease {
        @Override
        @DistributedLease("stop")
        public void stop() {}
    }

    static class SupportUnderLease implements SmartApplicationListener {
        @Override
        @DistributedLease("support")
        public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
            return false;
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {}
    }

    static class StartUnderLease implements SmartLifecycle {
        private volatile boolean running;

        @Override
        @DistributedLease("start")
        public void start() {
            running = LeaseContext.find().isPresent();
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    static class AsyncStopUnderLease extends StartUnderLease {
        @Override
        @DistributedLease("stop")
        public void stop(Runnable callback) {
            callback.run();
        }
    }

    @DistributedLease("kinds")
    static class Kinds
            implements Trigger,
                    Converter<String, Integer>,
                    AsyncConfigurer,
                    GenericApplicationListener,
                    ApplicationContextAware,
                    Validator {

        public boolean work() {
            return LeaseContext.find().isPresent();
        }

        @Override
        public Instant nextExecution(TriggerContext context) {
            return Instant.EPOCH;
        }

        @Override
        public Integer convert(String text) {
            return Integer.valueOf(text);
        }

        @Override
        public boolean supportsEventType(ResolvableType type) {
            return ContextStartedEvent.class == type.resolve();
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {}

        @Override
        public void setApplicationContext(ApplicationContext context) {}

        @Override
        public boolean supports(Class<?> type) {
            return true;
        }

        @Override
        public void validate(Object target, Errors errors) {}
    }

    interface OrderedWork extends Ordered {
        boolean work();
    }

    abstract static class Base implements OrderedWork {
        @Override
        public int getOrder() {
            return 7;
        }

        @Override
        public boolean work() {
            return LeaseContext.find().isPresent();
        }
    }

    @DistributedLease("ordered")
    static class OfBase extends Base {}

    @DistributedLease("ordered")
    interface AnnotatedWork extends OrderedWork {}

    static class OfAnnotatedInterface extends Base implements AnnotatedWork {}
}
