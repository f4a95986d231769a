package io.leasekit.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** {@code @SchedulerLock} and {@code @DistributedLease} on one method stop the start. */
class BothOnOneMethodTest {

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @Test
    void bothAnnotationsStopTheStart() {
        contexts.withBean(Both.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessage("@DistributedLease on '" + Both.class.getName()
                                + ".run': it also has @SchedulerLock, so a run that"
                                + " ShedLock skips would be recorded as done. With the module 'lease-shedlock' and one name for both,"
                                + " the method would never run")
                        .extracting("fix")
                        .isEqualTo("Remove one of the two annotations."));
    }

    @ParameterizedTest
    @ValueSource(classes = {Composed.class, ByInterface.class, OfTheClass.class, Second.class, OldAnnotation.class})
    void soDoesEachOtherForm(Class<?> type) {
        contexts.withBean(type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("it also has @SchedulerLock"));
    }

    @Test
    void anAnnotationOnEachOfTwoMethodsIsAccepted() {
        contexts.withBean(OneOnEach.class).run(context -> assertThat(context).hasNotFailed());
    }

    static class Both {
        @SchedulerLock(name = "report")
        @DistributedLease("report")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @SchedulerLock(name = "report")
    @interface Locked {}

    static class Composed {
        @Locked
        @DistributedLease("report")
        public void run() {}
    }

    interface Leased {
        @SchedulerLock(name = "report")
        void run();
    }

    static class ByInterface implements Leased {
        @Override
        @DistributedLease("report")
        public void run() {}
    }

    @DistributedLease("report")
    static class OfTheClass {
        @SchedulerLock(name = "report")
        public void run() {}
    }

    static class Second {
        @DistributedLease("first")
        public void first() {}

        @SchedulerLock(name = "report")
        @DistributedLease("report")
        public void run() {}
    }

    static class OldAnnotation {
        @net.javacrumbs.shedlock.core.SchedulerLock
        @DistributedLease("report")
        public void run() {}
    }

    static class OneOnEach {
        @SchedulerLock(name = "report")
        public void before() {}

        @DistributedLease("report")
        public void after() {}
    }
}
