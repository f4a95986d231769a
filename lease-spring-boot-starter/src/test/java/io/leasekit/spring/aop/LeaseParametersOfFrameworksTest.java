package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.Progress;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Mono;

/** A method whose arguments come from a framework cannot have a parameter for the lease. */
class LeaseParametersOfFrameworksTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @ParameterizedTest
    @ValueSource(
            classes = {
                OfController.class,
                OfInterface.class,
                OfAnnotatedClass.class,
                OfListener.class,
                OfEvent.class,
                OfModel.class,
                OfShell.class,
                OfComposed.class,
                OfActuator.class,
                OfResource.class
            })
    void itIsRefusedWithTheFix(Class<?> type) {
        runner.withBean("web", type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageStartingWith("@DistributedLease on '" + type.getName()
                                + ".run': it has a parameter of type Lease, but a framework sets the arguments of a method"
                                + " with @")
                        .hasMessageEndingWith(", and it knows no leases")
                        .extracting("fix")
                        .isEqualTo("Remove the parameter. 'LeaseContext.current()' returns the lease."));
    }

    @Test
    void progressIsRefusedToo() {
        runner.withBean("web", OfProgress.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("@DistributedLease on '" + OfProgress.class.getName()
                                + ".run': it has a parameter of type Progress, but a framework sets the arguments of a"
                                + " method with @SqsListener, and it knows no leases")
                        .extracting("fix")
                        .isEqualTo(
                                "Remove the parameter, and set 'resumable = true'. 'LeaseContext.current()' returns the"
                                        + " lease with its progress."));
    }

    @Test
    void aReactiveMethodFindsItsLeaseInItsOwnContext() {
        runner.withBean("web", OfReactive.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .extracting("fix")
                        .isEqualTo("Remove the parameter. 'ReactiveLeaseContext.current()' returns the lease."));
    }

    @Test
    void otherMethodsAndParametersAreAccepted() {
        runner.withBean(Others.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface RequestMapping {}

    @Retention(RetentionPolicy.RUNTIME)
    @RequestMapping
    @interface Fetch {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface SqsListener {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface ModelAttribute {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface ShellMethod {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface WriteOperation {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface GET {}

    static class OfController {
        @RequestMapping
        @DistributedLease("web-#{#id}")
        public String run(String id, @Nullable Lease lease) {
            return id;
        }
    }

    interface Api {
        @RequestMapping
        String run(String id, @Nullable Lease lease);
    }

    static class OfInterface implements Api {
        @Override
        @DistributedLease("web")
        public String run(String id, @Nullable Lease lease) {
            return id;
        }
    }

    @DistributedLease("web")
    static class OfAnnotatedClass {
        @RequestMapping
        String run(String id, @Nullable Lease lease) {
            return id;
        }
    }

    static class OfListener {
        @SqsListener
        @DistributedLease("web")
        public void run(String message, @Nullable Lease lease) {}
    }

    static class OfProgress {
        @SqsListener
        @DistributedLease("web")
        public void run(String message, @Nullable Progress<String> progress) {}
    }

    static class OfEvent {
        @EventListener(ContextRefreshedEvent.class)
        @DistributedLease("web")
        public void run(ContextRefreshedEvent event, @Nullable Lease lease) {}
    }

    static class OfModel {
        @ModelAttribute
        @DistributedLease("web")
        public String run(@Nullable Lease lease) {
            return "";
        }
    }

    static class OfShell {
        @ShellMethod
        @DistributedLease("web")
        public void run(@Nullable Lease lease) {}
    }

    static class OfComposed {
        @Fetch
        @DistributedLease("web")
        public void run(@Nullable Lease lease) {}
    }

    static class OfActuator {
        @WriteOperation
        @DistributedLease("web")
        public void run(@Nullable Lease lease) {}
    }

    static class OfResource {
        @GET
        @DistributedLease("web")
        public void run(@Nullable Lease lease) {}
    }

    static class OfReactive {
        @RequestMapping
        @DistributedLease("web")
        public Mono<String> run(@Nullable Lease lease) {
            return Mono.empty();
        }
    }

    static class Others {

        @DistributedLease("called")
        public void called(@Nullable Lease lease) {}

        @RequestMapping
        @DistributedLease("web")
        public String run(String id) {
            return id;
        }

        @RequestMapping
        public String unguarded(@Nullable Lease lease) {
            return "";
        }
    }
}
