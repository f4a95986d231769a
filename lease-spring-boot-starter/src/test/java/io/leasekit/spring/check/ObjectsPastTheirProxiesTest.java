package io.leasekit.spring.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/** A bean of a circle is given to schedulers and listener containers without its proxy. */
class ObjectsPastTheirProxiesTest {

    private final ApplicationContextRunner circles = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withUserConfiguration(Scheduling.class)
            .withBean(InMemoryLeaseStore.class)
            .withAllowCircularReferences(true);

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    @Test
    void aScheduledMethodOfABeanThatIsInjectedIntoItselfStopsTheStart() {
        circles.withBean("jobs", InjectedIntoItself.class)
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .isInstanceOf(InvalidLeaseMethodException.class)
                                .hasMessage("@DistributedLease on '" + InjectedIntoItself.class.getName()
                                        + ".run': Spring passes bean 'jobs'"
                                        + " without its proxy to the caller of this method, because the bean is part of a circular reference"
                                        + " or was created too early, so the method would run without a lease")
                                .extracting("fix")
                                .asString()
                                .startsWith(
                                        "Inject one of the beans of the circle with @Lazy, or move the method to another bean. "));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Composed.class,
                OfTheInterface.class,
                OfTheClass.class,
                Receiver.class,
                Listener.class,
                ListenerOfAnAnnotatedClass.class
            })
    void soDoesEachOtherFormThatHasTheObject(Class<?> type) {
        circles.withBean("jobs", type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageContaining("Spring passes bean 'jobs' without its proxy"));
    }

    @Test
    void soDoesABeanOfALongerCircle() {
        circles.withBean("one", One.class)
                .withBean("other", Other.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Spring passes bean 'one' without its proxy"));
    }

    @Test
    void aBeanOfACircleThatSpringHandsOutWithItsProxyIsAccepted() {
        circles.withBean("other", Other.class)
                .withBean("one", One.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void methodsThatAreCalledByTheNameOfTheirBeanHaveTheirLease() {
        circles.withBean(Called.class).run(context -> {
            Called bean = context.getBean(Called.class);
            context.publishEvent("event");
            bean.self().call();

            assertThat(bean.calls()).containsExactly("event", "call");
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {TaskOfItself.class, TaskByReference.class, LeaderByTask.class})
    void aTaskThatAConfigurerMakesOfItselfStopsTheStart(Class<?> type) {
        circles.withBean(type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageContaining("makes a task of 'this', which is not the bean's proxy"));
    }

    @Test
    void aBeanThatIsInjectedIntoItselfLazilyIsAccepted() {
        circles.withBean(InjectedLazily.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void nothingIsRefusedWhileLeasesAreSwitchedOff() {
        circles.withBean(InjectedIntoItself.class)
                .withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class TaskOfItself implements SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            try {
                registrar.addCronTask(new CronTask(new ScheduledMethodRunnable(this, "run"), "0 0 3 * * *"));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }

        @DistributedLease("job")
        public void run() {}
    }

    static class TaskByReference implements SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(this::run, "0 0 3 * * *");
        }

        @DistributedLease("job")
        public void run() {}
    }

    static class LeaderByTask implements SchedulingConfigurer {
        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(this::lead, "0 0 3 * * *");
        }

        @LeaderOnly("leader")
        public void lead() {}
    }

    static class InjectedIntoItself {
        @Autowired
        InjectedIntoItself self;

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("job")
        public void run() {}
    }

    static class InjectedLazily {
        @Autowired
        @Lazy
        InjectedLazily self;

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("job")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLease("job")
    @interface Nightly {}

    static class Composed {
        @Autowired
        Composed self;

        @Nightly
        void run() {}
    }

    interface Leased {
        @DistributedLease("job")
        void run();
    }

    static class OfTheInterface implements Leased {
        @Autowired
        Leased self;

        @Override
        @Scheduled(cron = "0 0 3 * * *")
        public void run() {}
    }

    @DistributedLease("job")
    static class OfTheClass {
        @Autowired
        OfTheClass self;

        @Scheduled(cron = "0 0 3 * * *")
        void run() {}
    }

    /** Of a library whose post-processor hands the object to its container, as those for JMS, Kafka and Rabbit do. */
    @Retention(RetentionPolicy.RUNTIME)
    @QueueMapping
    @interface QueueListener {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface QueueMapping {}

    static class Receiver {
        @Autowired
        Receiver self;

        @QueueListener
        @DistributedLease("job")
        public void receive(String message) {}
    }

    static class Listener implements ApplicationListener<ApplicationEvent> {
        @Autowired
        Listener self;

        @Override
        @DistributedLease("job")
        public void onApplicationEvent(ApplicationEvent event) {}
    }

    @DistributedLease("job")
    static class ListenerOfAnAnnotatedClass implements ApplicationListener<ApplicationEvent> {
        @Autowired
        ListenerOfAnAnnotatedClass self;

        @Override
        public void onApplicationEvent(ApplicationEvent event) {}
    }

    static class One {
        @Autowired
        Other other;

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("job")
        public void run() {}
    }

    static class Other {
        @Autowired
        One one;
    }

    static class Called {
        @Autowired
        Called self;

        Called self() {
            return self;
        }

        private final List<String> calls = new ArrayList<>();

        public List<String> calls() {
            return calls;
        }

        @EventListener
        @DistributedLease("job")
        public void on(String event) {
            LeaseAssert.assertHeld();
            calls.add(event);
        }

        @DistributedLease("job")
        public void call() {
            LeaseAssert.assertHeld();
            calls.add("call");
        }
    }
}
