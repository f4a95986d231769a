package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods that frameworks call, in classes with the annotation. */
@ExtendWith(OutputCaptureExtension.class)
class EntryPointsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @Test
    void packagePrivateEntryPointsOfAnAnnotatedClassAreGuarded() {
        runner.withBean(Jobs.class).withUserConfiguration(Scheduling.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .until(() -> jobs.guarded().contains("scheduled"));
            jobs.onMessage();

            assertThat(jobs.guarded()).contains("scheduled", "event", "message");
            assertThat(jobs.unguarded()).isEmpty();
        });
    }

    @Test
    void aPrivateEntryPointOfAnAnnotatedClassIsRefused() {
        runner.withBean("job", PrivateListener.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(InvalidLeaseMethodException.class)
                        .rootCause()
                        .hasMessageContaining(
                                "PrivateListener.onMessage': the method of bean 'job' is private, so no proxy"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Started.class, Stopped.class, Initialized.class})
    void anAnnotatedMethodThatSpringCallsPastTheProxyIsRefused(Class<?> type) {
        runner.withBean("job", type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(
                                "': Spring calls the method of bean 'job' on the bean itself and not through its"
                                        + " proxy, so it would run without a lease")
                        .extracting("fix")
                        .asString()
                        .startsWith(
                                "Do the work in an @EventListener(ApplicationReadyEvent.class) or ApplicationRunner"));
    }

    @Test
    void aStartUpMethodOfAnAnnotatedClassIsWarnedOf(CapturedOutput output) {
        runner.withBean(StartedClass.class).run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("WARN")
                .contains("Method '" + StartedClass.class.getName()
                        + ".begin' runs without a lease, although its class has"
                        + " @DistributedLease, because Spring calls it on the bean itself, not through its proxy. Annotate"
                        + " the methods that need a lease, not the class");
    }

    @Test
    void aFinalClassGetsAnAnalysis() {
        runner.withBean("job", Sealed.class).run(context -> {
            FailureAnalysis analysis = new FinalClassFailureAnalyzer().analyze(context.getStartupFailure());

            assertThat(analysis.getDescription())
                    .isEqualTo("@DistributedLease on methods of '" + Sealed.class.getName()
                            + "': the class is final, so no proxy can guard them and they would run without a lease");
            assertThat(analysis.getAction())
                    .isEqualTo("Remove 'final' from the class, or move the method to another bean.");
        });
    }

    /** Stands for the annotations of messaging libraries. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface QueueListener {}

    @EnableScheduling
    static class Scheduling {}

    @DistributedLease("jobs-#{method.name}")
    static class Jobs {

        private final List<String> guarded = new CopyOnWriteArrayList<>();
        private final List<String> unguarded = new CopyOnWriteArrayList<>();

        private void note(String name) {
            (LeaseContext.find().isPresent() ? guarded : unguarded).add(name);
        }

        @DistributedLease("list")
        public List<String> guarded() {
            return List.copyOf(guarded);
        }

        @DistributedLease("list")
        public List<String> unguarded() {
            return List.copyOf(unguarded);
        }

        @Scheduled(fixedRate = 1_000)
        void scheduled() {
            note("scheduled");
        }

        @EventListener(ContextRefreshedEvent.class)
        protected void event() {
            note("event");
        }

        @QueueListener
        void onMessage() {
            note("message");
        }
    }

    @DistributedLease("private")
    static class PrivateListener {
        @QueueListener
        private void onMessage() {}

        public void other() {
            onMessage();
        }
    }

    static class Started {
        @PostConstruct
        @DistributedLease("started")
        public void begin() {}
    }

    static class Stopped {
        @PreDestroy
        @DistributedLease("stopped")
        public void end() {}
    }

    static class Initialized implements InitializingBean {
        @Override
        @DistributedLease("initialized")
        public void afterPropertiesSet() {}
    }

    @DistributedLease("started-class")
    static class StartedClass {
        @PostConstruct
        public void begin() {}

        public void other() {}
    }

    static final class Sealed {
        @DistributedLease("sealed")
        public void run() {}
    }
}
