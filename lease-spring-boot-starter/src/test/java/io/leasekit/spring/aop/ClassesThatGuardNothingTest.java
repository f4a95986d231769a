package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import jakarta.annotation.PostConstruct;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An annotation on a class must guard at least one of its methods. */
class ClassesThatGuardNothingTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @ParameterizedTest
    @ValueSource(
            classes = {
                Hidden.class,
                Inner.class,
                Static.class,
                OnlyObjectsMethods.class,
                OnlyLifecycle.class,
                ByMarker.class,
                SubOfHidden.class
            })
    void aClassWithoutAPublicMethodIsRefused(Class<?> type) {
        runner.withBean("job", type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageStartingWith("@DistributedLease on '" + type.getName()
                                + "': the annotation guards no method of bean 'job': it covers public methods, and the class has none that"
                                + " is called through the proxy")
                        .extracting("fix")
                        .asString()
                        .startsWith("Put the annotation on the method that needs the lease"));
    }

    @ParameterizedTest
    @ValueSource(classes = {QuartzJob.class, QuartzJobWithSetter.class})
    void aClassWhoseOnlyPublicMethodIsAnInheritedFinalOneIsRefused(Class<?> type) {
        runner.withBean("job", type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("@DistributedLease on '" + type.getName()
                                + "': the annotation guards no method of bean 'job': 'execute' is final in '"
                                + JobBean.class.getName() + "'"));
    }

    @Test
    void anAnnotationOnTheMethodThatTheFinalOneCallsGuardsIt() {
        runner.withBean(GuardedQuartzJob.class).run(context -> {
            GuardedQuartzJob job = context.getBean(GuardedQuartzJob.class);
            job.execute("context");
            assertThat(job.guarded()).isTrue();
        });
    }

    @Test
    void anObjectThatIsNoBeanIsGuardedIfSpringCreatesOrInitializesIt() {
        runner.run(context -> {
            AutowireCapableBeanFactory beans = context.getAutowireCapableBeanFactory();
            GuardedQuartzJob injected = new GuardedQuartzJob();
            beans.autowireBean(injected);
            GuardedQuartzJob initialized = (GuardedQuartzJob) beans.initializeBean(injected, "job");

            assertThat(runs(injected)).isFalse();
            assertThat(runs(initialized)).isTrue();
            assertThat(runs(beans.createBean(GuardedQuartzJob.class))).isTrue();
        });
    }

    private static boolean runs(GuardedQuartzJob job) {
        job.execute("context");
        return job.guarded();
    }

    @ParameterizedTest
    @ValueSource(classes = {HiddenWithOwn.class, OfFramework.class, Setters.class, ByInterface.class})
    void aClassWithAGuardedMethodIsAccepted(Class<?> type) {
        runner.withBean("job", type).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void switchedOffNothingIsRefused() {
        runner.withBean(Hidden.class)
                .withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @DistributedLease("job")
    static class Hidden {
        void run() {}
    }

    static class SubOfHidden extends Hidden {}

    @DistributedLease("job")
    static class Inner {
        private void run() {}

        protected void hook() {
            run();
        }
    }

    @DistributedLease("job")
    static class Static {
        public static void run() {}
    }

    @DistributedLease("job")
    static class OnlyObjectsMethods {
        @Override
        public String toString() {
            return "text";
        }
    }

    @DistributedLease("job")
    static class OnlyLifecycle {
        @PostConstruct
        public void begin() {}
    }

    @DistributedLease("job")
    interface Marker {}

    static class ByMarker implements Marker {}

    static class JobBean {
        public final void execute(String context) {
            executeInternal(context);
        }

        protected void executeInternal(String context) {}
    }

    @DistributedLease("job")
    static class QuartzJob extends JobBean {
        @Override
        protected void executeInternal(String context) {}
    }

    @DistributedLease("job")
    static class QuartzJobWithSetter extends JobBean {
        public void setName(String name) {}

        @Override
        protected void executeInternal(String context) {}
    }

    static class GuardedQuartzJob extends JobBean {

        private boolean guarded;

        @Override
        @DistributedLease("job")
        protected void executeInternal(String context) {
            guarded = LeaseContext.find().isPresent();
        }

        public boolean guarded() {
            return guarded;
        }
    }

    @DistributedLease("job")
    static class HiddenWithOwn {
        @DistributedLease("own")
        void run() {}
    }

    /** Stands for the annotations of messaging libraries. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface MessageListener {}

    @DistributedLease("job")
    static class OfFramework {
        @MessageListener
        void onMessage() {}
    }

    @DistributedLease("job")
    static class Setters {
        public void setLevel(int level) {}
    }

    interface Runs {
        void run();
    }

    @DistributedLease("job")
    static class ByInterface implements Runs {
        @Override
        public void run() {}
    }
}
