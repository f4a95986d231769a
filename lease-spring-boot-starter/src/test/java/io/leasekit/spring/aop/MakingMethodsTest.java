package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.micrometer.observation.ObservationRegistry;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.AbstractFactoryBean;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AliasFor;

/** An annotation on what creates a bean does not guard the bean. */
@ExtendWith(OutputCaptureExtension.class)
class MakingMethodsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @ParameterizedTest
    @ValueSource(
            classes = {
                Full.class,
                Lite.class,
                Component.class,
                OfStatic.class,
                Composed.class,
                Inherited.class,
                OfInterface.class,
                OfLazyConfiguration.class
            })
    void anAnnotatedBeanMethodIsRefused(Class<?> configuration) {
        runner.withUserConfiguration(configuration)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidLeaseMethodException.class)
                        .hasMessageStartingWith("@DistributedLease on '")
                        .hasMessageEndingWith(
                                ".ship': the method creates a bean, and the annotation does not guard the calls of that bean")
                        .extracting("fix")
                        .asString()
                        .startsWith("Put the annotation on the class of the bean or on its methods"));
    }

    @Test
    void anAnnotatedFactoryMethodOfAnotherDefinitionIsRefused() {
        RootBeanDefinition definition = new RootBeanDefinition(Factory.class);
        definition.setFactoryMethodName("ship");
        runner.withInitializer(context ->
                        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("ship", definition))
                .run(context -> assertRefused(context, ".ship': the method creates a bean"));
    }

    @Test
    void aLazyBeanIsRefusedAtTheLatestWhenItIsMade() {
        runner.withUserConfiguration(AllLazy.class).run(context -> {
            assertThat(catchThrowable(() -> context.getBean("ship")))
                    .hasRootCauseInstanceOf(InvalidLeaseMethodException.class);
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {ShipFactory.class, InheritingFactory.class, FactoryOfOwnInterface.class})
    void anAnnotatedMethodOfAFactoryBeanIsRefused(Class<?> type) {
        runner.withBean("ship", type).run(context -> assertRefused(context, ": the method creates a bean"));
    }

    @Test
    void anAnnotatedFactoryBeanIsRefused() {
        runner.withBean("ship", AnnotatedFactory.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("@DistributedLease on '" + AnnotatedFactory.class.getName()
                                + "': the class is a FactoryBean, and the annotation does not guard the calls of the"
                                + " bean that it creates"));
    }

    @Test
    void anAnnotatedMethodOfAConfigurationThatCreatesNothingIsGuarded() {
        runner.withUserConfiguration(WithJob.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anAnnotatedConfigurationWithAJobIsWarnedOf(CapturedOutput output) {
        runner.withUserConfiguration(AnnotatedWithJob.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("WARN")
                .contains("Method '" + AnnotatedWithJob.class.getName()
                        + ".ship' creates a bean whose calls run without a lease, although its class has"
                        + " @DistributedLease. Put the annotation on the class of the bean or on its methods");
    }

    @ParameterizedTest
    @ValueSource(classes = {AnnotatedFull.class, AnnotatedLite.class})
    void anAnnotatedConfigurationThatOnlyCreatesBeansIsRefused(Class<?> configuration) {
        runner.withUserConfiguration(configuration)
                .run(context -> assertRefused(context, "': the annotation guards no method of bean '"));
    }

    @Test
    void aLeadersAnnotationIsRefusedAlike() {
        runner.withUserConfiguration(LeaderBean.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("@LeaderOnly on '" + LeaderBean.class.getName()
                                + ".ship': the method creates a bean, and the annotation does not guard the calls of that"
                                + " bean"));
    }

    @Test
    void switchedOffNothingIsRefused() {
        runner.withUserConfiguration(Full.class)
                .withBean("factory", AnnotatedFactory.class)
                .withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    // Spring asks all FactoryBeans for their types when an annotated call looks up its settings
    @ParameterizedTest
    @ValueSource(classes = {AnnotatedFactory.class, ShipFactory.class, FactoryOfOwnInterface.class})
    void switchedOffTheBeanOfAFactoryBeanIsFoundByItsType(Class<?> type) {
        runner.withBean("factory", type)
                .withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBeans(CharSequence.class)
                        .containsOnlyKeys("factory"));
    }

    @Test
    void switchedOffAMethodThatCreatesABeanThatCallsNeedIsNotCalledUnderALease() {
        runner.withUserConfiguration(WithRegistry.class)
                .withPropertyValues("lease.enabled=false")
                .run(context -> {
                    assertThat(context).hasSingleBean(ObservationRegistry.class);
                    assertThat(context.getBean(WithRegistry.class).inLease()).isTrue();
                });
    }

    @Test
    void switchedOffAMethodOfAFactoryBeanThatCreatesNothingHasItsLease() {
        runner.withBean("factory", AnnotatedFactory.class)
                .withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(context.getBean("&factory", AnnotatedFactory.class)
                                .inLease())
                        .isTrue());
    }

    private static void assertRefused(AssertableApplicationContext context, String reason) {
        assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidLeaseMethodException.class)
                .hasMessageContaining(reason);
    }

    @Configuration
    static class Full {
        @Bean
        @DistributedLease("ship")
        public Function<String, String> ship() {
            return text -> text;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lite {
        @Bean
        @DistributedLease("ship")
        Function<String, String> ship() {
            return text -> text;
        }
    }

    static class Component {
        @Bean
        @DistributedLease("ship")
        public Function<String, String> ship() {
            return text -> text;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfStatic {
        @Bean
        @DistributedLease("ship")
        static Function<String, String> ship() {
            return text -> text;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease("composed")
    @Bean
    @interface LeasedBean {
        @AliasFor(annotation = Bean.class, attribute = "name")
        String[] name() default {};
    }

    @Configuration
    static class Composed {
        @LeasedBean
        public Function<String, String> ship() {
            return text -> text;
        }
    }

    @Configuration
    static class Inherited extends Full {}

    interface Ships {
        @Bean
        @DistributedLease("ship")
        default Function<String, String> ship() {
            return text -> text;
        }
    }

    @Configuration
    static class OfInterface implements Ships {}

    @Configuration
    @Lazy
    static class OfLazyConfiguration {
        @Bean
        @Lazy(false)
        @DistributedLease("ship")
        public Function<String, String> ship() {
            return text -> text;
        }
    }

    @Configuration
    @Lazy
    static class AllLazy {
        @Bean
        @DistributedLease("ship")
        static Function<String, String> ship() {
            return text -> text;
        }
    }

    static class Factory {
        @DistributedLease("ship")
        static Factory ship() {
            return new Factory();
        }
    }

    static class ShipFactory implements FactoryBean<String> {
        @Override
        @DistributedLease("ship")
        public String getObject() {
            return "ship";
        }

        @Override
        public Class<?> getObjectType() {
            return String.class;
        }
    }

    interface Factories extends FactoryBean<String> {
        @Override
        @DistributedLease("ship")
        Class<?> getObjectType();
    }

    static class FactoryOfOwnInterface implements Factories {
        @Override
        public String getObject() {
            return "ship";
        }

        @Override
        public Class<?> getObjectType() {
            return String.class;
        }
    }

    static class InheritingFactory extends AbstractFactoryBean<String> {
        @Override
        @DistributedLease("ship")
        protected String createInstance() {
            return "ship";
        }

        @Override
        public Class<?> getObjectType() {
            return String.class;
        }
    }

    @DistributedLease("ship")
    static class AnnotatedFactory implements FactoryBean<CharSequence> {

        private String name = "ship";

        public void setName(String name) {
            this.name = name;
        }

        @Override
        public CharSequence getObject() {
            return new StringBuilder(name);
        }

        @Override
        public Class<?> getObjectType() {
            return CharSequence.class;
        }

        public boolean inLease() {
            return LeaseContext.find().isPresent();
        }
    }

    @Configuration
    static class WithJob {

        @Bean
        public Function<String, String> ship() {
            return text -> text;
        }

        @DistributedLease("job")
        public void job() {}
    }

    @Configuration
    @DistributedLease("job")
    static class AnnotatedWithJob {

        @Bean
        public Function<String, String> ship() {
            return text -> text;
        }

        public void job() {}
    }

    @Configuration
    @DistributedLease("ship")
    static class AnnotatedFull {
        @Bean
        public Function<String, String> ship() {
            return text -> text;
        }
    }

    @DistributedLease("ship")
    static class AnnotatedLite {
        @Bean
        public Function<String, String> ship() {
            return text -> text;
        }
    }

    @Configuration
    static class WithRegistry {
        @Bean
        @DistributedLease("registry")
        public ObservationRegistry registry() {
            return ObservationRegistry.create();
        }

        @DistributedLease("job")
        public boolean inLease() {
            return LeaseContext.find().isPresent();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LeaderBean {
        @Bean
        @LeaderOnly("ship")
        Function<String, String> ship() {
            return text -> text;
        }
    }
}
