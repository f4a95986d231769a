package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

/** Beans that another post-processor wraps, after they were advised or before. */
@Tag("boot3")
class WrappedBeansTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @Test
    void aJdkProxyAroundTheAdvisedBeanIsAccepted() {
        runner.withBean("jobs", Jobs.class)
                .withBean(BeanPostProcessor.class, () -> new After(WrappedBeansTest::proxyTo))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Runs wrapped = context.getBean(Runs.class);
                    assertThat(Proxy.isProxyClass(wrapped.getClass())).isTrue();
                    assertThat(wrapped.run()).isTrue();
                });
    }

    @Test
    void aJdkProxyAroundABeanWithTheAnnotationOnItsInterfaceIsAccepted() {
        runner.withBean("jobs", OfInterface.class)
                .withBean(BeanPostProcessor.class, () -> new After(WrappedBeansTest::proxyTo))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(AnnotatedRuns.class).run()).isTrue();
                });
    }

    @Test
    void aDelegatingSubclassAroundTheAdvisedBeanIsAccepted() {
        runner.withBean("jobs", Jobs.class)
                .withBean(BeanPostProcessor.class, () -> new After(bean -> new Delegate((Jobs) bean)))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Delegate.class).run()).isTrue();
                });
    }

    @Test
    void anObjectOfAnotherClassAroundTheAdvisedBeanIsAccepted() {
        runner.withBean("jobs", Jobs.class)
                .withBean(BeanPostProcessor.class, () -> new After(bean -> (Runs) () -> ((Runs) bean).run()))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Runs.class).run()).isTrue();
                });
    }

    @Test
    void severalWrappersAreAccepted() {
        runner.withBean("jobs", Jobs.class)
                .withBean("first", BeanPostProcessor.class, () -> new After(bean -> new Delegate((Jobs) bean)))
                .withBean("second", BeanPostProcessor.class, () -> new After(WrappedBeansTest::proxyTo))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Runs.class).run()).isTrue();
                });
    }

    @Test
    void aProxyOfSpringAroundTheAdvisedBeanIsAccepted() {
        runner.withBean("jobs", Jobs.class)
                .withBean(
                        BeanPostProcessor.class,
                        () -> new After(bean -> ProxyFactory.getProxy(Runs.class, new SingletonTargetSource(bean))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Runs.class).run()).isTrue();
                });
    }

    @Test
    void aWrappedBeanOfACircleIsAccepted() {
        runner.withAllowCircularReferences(true)
                .withBean("jobs", InCircle.class)
                .withBean(OfCircle.class)
                .withBean(BeanPostProcessor.class, EarlyToo::new)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Runs.class).run()).isTrue();
                    assertThat(context.getBean(OfCircle.class).jobs.run()).isTrue();
                });
    }

    @Test
    void aDelegateOfAScheduledBeanIsAccepted() {
        runner.withBean("jobs", Scheduling.class)
                .withBean(BeanPostProcessor.class, () -> new After(bean -> new ScheduledDelegate((Scheduling) bean)))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anObjectThatReplacesTheBeanBeforeItIsAdvisedIsRefusedByName() {
        runner.withBean("jobs", Jobs.class)
                .withBean(BeanPostProcessor.class, Before::new)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageMatching("@DistributedLease on '\\Q" + Jobs.class.getName()
                                + "\\E\\.run': the bean 'jobs' is not advised, because a bean post-processor has replaced"
                                + " it by an object of class '.*\\$Proxy\\d+' before Spring could advise it, so its methods"
                                + " would run without a lease"));
    }

    private static Object proxyTo(Object bean) {
        Class<?> type = bean instanceof AnnotatedRuns ? AnnotatedRuns.class : Runs.class;
        InvocationHandler handler = (proxy, method, arguments) -> method.invoke(bean, arguments);
        return Proxy.newProxyInstance(WrappedBeansTest.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    interface Runs {
        boolean run();
    }

    interface AnnotatedRuns {
        @DistributedLease("jobs")
        boolean run();
    }

    static class Jobs implements Runs {
        @Override
        @DistributedLease("jobs")
        public boolean run() {
            return LeaseContext.find().isPresent();
        }
    }

    static class OfInterface implements AnnotatedRuns {
        @Override
        public boolean run() {
            return LeaseContext.find().isPresent();
        }
    }

    static class Delegate extends Jobs {
        private final Jobs jobs;

        Delegate(Jobs jobs) {
            this.jobs = jobs;
        }

        @Override
        public boolean run() {
            return jobs.run();
        }
    }

    static class Scheduling {
        @Scheduled(fixedDelay = 1_000_000)
        @DistributedLease("scheduling")
        public void run() {}
    }

    static class ScheduledDelegate extends Scheduling {
        private final Scheduling jobs;

        ScheduledDelegate(Scheduling jobs) {
            this.jobs = jobs;
        }

        @Override
        public void run() {
            jobs.run();
        }
    }

    /** Wraps the bean {@code jobs} after Spring's proxy creator. */
    static class After implements BeanPostProcessor {
        private final UnaryOperator<Object> wrap;

        After(UnaryOperator<Object> wrap) {
            this.wrap = wrap;
        }

        @Override
        public @Nullable Object postProcessAfterInitialization(Object bean, String name) {
            return name.equals("jobs") ? wrap.apply(bean) : bean;
        }
    }

    /** Replaces the bean {@code jobs} before Spring's proxy creator sees it. */
    static class Before implements BeanPostProcessor {
        @Override
        public @Nullable Object postProcessBeforeInitialization(Object bean, String name) {
            return name.equals("jobs") ? proxyTo(bean) : bean;
        }
    }

    static class InCircle extends Jobs {
        @Autowired
        OfCircle other;
    }

    static class OfCircle {
        @Autowired
        Runs jobs;
    }

    /** Wraps the bean {@code jobs} after Spring's proxy creator, also if another bean needs it early. */
    static class EarlyToo implements SmartInstantiationAwareBeanPostProcessor {
        private @Nullable Object early;

        @Override
        public Object getEarlyBeanReference(Object bean, String name) {
            if (!name.equals("jobs")) {
                return bean;
            }
            early = proxyTo(bean);
            return early;
        }
    }
}
