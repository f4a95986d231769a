package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.util.Locale;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

@Tag("boot3")
@ExtendWith(OutputCaptureExtension.class)
class UnguardedBeansTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @ParameterizedTest
    @ValueSource(classes = {OfPrivate.class, OfStatic.class, OfFinal.class, FinalOfClass.class})
    void aMethodThatNoProxyCanGuardStopsTheStart(Class<?> type) {
        String modifier = type == FinalOfClass.class
                ? "final"
                : type.getSimpleName().substring(2).toLowerCase(Locale.ROOT);
        runner.withBean("job", type)
                .run(context -> failure(context)
                        .hasMessage("@DistributedLease on '" + type.getName() + ".run': the method of bean 'job' is "
                                + modifier + ", so no proxy can guard it and it would run without a lease")
                        .extracting("fix")
                        .isEqualTo("Remove '" + modifier + "', or move the method to another bean."));
    }

    @Test
    void aLazyBeanWithSuchAMethodIsNeverMade() {
        runner.withBean("job", OfPrivate.class, OfPrivate::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    for (int attempt = 0; attempt < 2; attempt++) {
                        assertThatExceptionOfType(Exception.class)
                                .isThrownBy(() -> context.getBean("job"))
                                .withRootCauseInstanceOf(InvalidLeaseMethodException.class);
                    }
                });
    }

    @Test
    void aFinalMethodThatAnAnnotatedClassInheritsIsLetPass() {
        runner.withBean(InheritsFinal.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aFinalClassStopsTheStart() {
        runner.withBean("job", FinalClass.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("'job'")
                        .rootCause()
                        .hasMessageContaining(FinalClass.class.getName()));
    }

    @Test
    void aBeanMadeTooEarlyStopsTheStart() {
        runner.withUserConfiguration(TooEarly.class)
                .run(context -> failure(context)
                        .hasMessage("@DistributedLease on '" + Job.class.getName()
                                + ".run': the bean 'job' is not advised, so its" + " methods would run without a lease")
                        .extracting("fix")
                        .asString()
                        .startsWith("In most cases the bean was created too early. "));
    }

    @ParameterizedTest
    @ValueSource(classes = {EvenEarlier.class, Earliest.class})
    void aBeanMadeForABeanFactoryPostProcessorStopsTheStart(Class<?> configuration) {
        runner.withUserConfiguration(configuration)
                .run(context -> failure(context).hasMessageContaining("the bean 'job' is not advised"));
    }

    @Test
    void aBeanThatAPostProcessorAsksForLaterIsAdvised() {
        runner.withUserConfiguration(NotTooEarly.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anObjectRegisteredByHandStopsTheStart() {
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("byHand", new Job()))
                .run(context -> failure(context).hasMessageContaining("the bean 'byHand' is not advised"));
    }

    @Test
    void aMockIsNoUnguardedBean() {
        runner.withUserConfiguration(Mocked.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(Mockito.mockingDetails(context.getBean(Job.class)).isMock())
                    .isTrue();
        });
    }

    @Test
    void scopedAndProxiedBeansAreGuarded() {
        runner.withInitializer(context -> registerScoped((BeanDefinitionRegistry) context.getBeanFactory()))
                .withBean("proxied", Job.class, () -> (Job) proxyTo(new Job()))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aPlainContextNamesNoBeanThatProxiesWereTooLateFor(CapturedOutput output) {
        runner.withBean(Job.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("not eligible for");
    }

    @Test
    void aCallOnThisIsWarnedOfOnceWithTheFix(CapturedOutput output) {
        runner.withBean("one", CallsItself.class)
                .withBean("two", CallsItself.class)
                .run(context -> {});
        assertThat(output.getOut().split("CallsItself.outer\\(UnguardedBeansTest.java:", -1))
                .hasSize(2);
        assertThat(output)
                .contains("WARN")
                .contains(") calls 'run' on its own object: this call takes no lease, although the method has"
                        + " @DistributedLease. Move the method to another bean, or inject this bean into itself with"
                        + " @Lazy and call the method on that reference");
    }

    private static void registerScoped(BeanDefinitionRegistry registry) {
        RootBeanDefinition definition = new RootBeanDefinition(Job.class);
        definition.setScope(AbstractBeanDefinition.SCOPE_PROTOTYPE);
        BeanDefinitionHolder proxy =
                ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(definition, "scoped"), registry, true);
        registry.registerBeanDefinition("scoped", proxy.getBeanDefinition());
    }

    private static Object proxyTo(Job job) {
        ProxyFactory factory = new ProxyFactory(job);
        factory.setProxyTargetClass(true);
        return factory.getProxy();
    }

    private static AbstractThrowableAssert<?, ?> failure(AssertableApplicationContext context) {
        return assertThat(context)
                .getFailure()
                .satisfies(failure -> assertThat(failure).hasRootCauseInstanceOf(InvalidLeaseMethodException.class))
                .extracting(UnguardedBeansTest::rootCause, InstanceOfAssertFactories.THROWABLE);
    }

    private static Throwable rootCause(Throwable failure) {
        return failure.getCause() == null ? failure : rootCause(failure.getCause());
    }

    static class Job {
        @DistributedLease("job")
        public void run() {}
    }

    static class CallsItself {
        public void outer() {
            run();
        }

        @DistributedLease("job")
        public void run() {}
    }

    static class OfPrivate {
        @DistributedLease("job")
        private void run() {}
    }

    static class OfStatic {
        @DistributedLease("job")
        public static void run() {}
    }

    static class OfFinal {
        @DistributedLease("job")
        public final void run() {}
    }

    @DistributedLease("job")
    static class FinalOfClass {
        public final void run() {}

        public void other() {}
    }

    static class Framework {
        public final String name() {
            return "name";
        }
    }

    @DistributedLease("job")
    static class InheritsFinal extends Framework {
        public void run() {}
    }

    static final class FinalClass {
        @DistributedLease("job")
        public void run() {}
    }

    static class Early implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {

        @Bean
        static Early postProcessor(Job job) {
            return new Early();
        }

        @Bean
        static Job job() {
            return new Job();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EvenEarlier {

        @Bean
        static BeanFactoryPostProcessor postProcessor(Job job) {
            return beanFactory -> {};
        }

        @Bean
        static Job job() {
            return new Job();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Earliest {

        @Bean
        static BeanDefinitionRegistryPostProcessor postProcessor(Job job) {
            return registry -> {};
        }

        @Bean
        static Job job() {
            return new Job();
        }
    }

    /** Registers a mock like a test framework. */
    @Configuration(proxyBeanMethods = false)
    static class Mocked {

        @Bean
        static BeanFactoryPostProcessor mocks() {
            return beanFactory -> beanFactory.registerSingleton("job", Mockito.mock(Job.class));
        }

        @Bean
        static Job job() {
            return new Job();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NotTooEarly {

        @Bean
        static Early postProcessor(ObjectProvider<Job> job) {
            return new Early();
        }

        @Bean
        static Job job() {
            return new Job();
        }
    }
}
