package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import jakarta.annotation.PostConstruct;
import java.io.Closeable;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.beans.factory.xml.XmlBeanDefinitionReader;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.io.ByteArrayResource;

/** Methods that Spring calls on the bean itself because of the bean's definition or type. */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleMethodsTest {

    private static final String PAST_PROXY =
            "' on the bean itself and not through its proxy, so it would run without a lease";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @ParameterizedTest
    @ValueSource(classes = {WithInit.class, WithInheritedInit.class, WithInitOfInterface.class})
    void anInitMethodIsRefusedBeforeItRuns(Class<?> configuration) {
        Worker.STARTED.set(0);
        runner.withUserConfiguration(configuration)
                .run(context -> assertRefused(context, ".start': ", "it is the init method of the bean's definition"));
        assertThat(Worker.STARTED).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {WithDestroy.class, WithInferredClose.class, WithInferredShutdown.class, WithCloseable.class})
    void aDestroyMethodIsRefused(Class<?> configuration) {
        runner.withUserConfiguration(configuration)
                .run(context ->
                        assertRefused(context, "': ", "it is the destroy method of the bean's definition or type"));
    }

    @Test
    void anAutoCloseableThatIsNoFactoryMethodsResultIsRefused() {
        runner.withBean("job", ClosedWorker.class)
                .run(context -> assertRefused(
                        context, ".close': ", "it is the destroy method of the bean's definition or type"));
    }

    @Test
    void xmlAttributesAndDefaultsAreRead() {
        String worker = Worker.class.getName();
        for (String xml : List.of(
                "<beans %s><bean id='job' class='" + worker + "' init-method='start'/></beans>",
                "<beans %s><bean id='job' class='" + worker + "' destroy-method='halt'/></beans>",
                "<beans %s default-init-method='start'><bean id='job' class='" + worker + "'/></beans>",
                "<beans %s default-destroy-method='halt'><bean id='job' class='" + worker + "'/></beans>")) {
            runner.withInitializer(context -> read(xml, (BeanDefinitionRegistry) context.getBeanFactory()))
                    .run(context -> assertRefused(context, "': ", " method of the bean's definition"));
        }
        String other = "<beans %s default-init-method='absent'><bean id='job' class='" + worker + "'/></beans>";
        runner.withInitializer(context -> read(other, (BeanDefinitionRegistry) context.getBeanFactory()))
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void read(String xml, BeanDefinitionRegistry registry) {
        String namespace = "xmlns='http://www.springframework.org/schema/beans'"
                + " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
                + " xsi:schemaLocation='http://www.springframework.org/schema/beans"
                + " https://www.springframework.org/schema/beans/spring-beans.xsd'";
        new XmlBeanDefinitionReader(registry)
                .loadBeanDefinitions(
                        new ByteArrayResource(xml.formatted(namespace).getBytes()));
    }

    @Test
    void eachOfSeveralMethodsIsRead() {
        RootBeanDefinition definition = new RootBeanDefinition(Worker.class);
        definition.setInitMethodNames("other", "start");
        runner.withInitializer(context ->
                        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("job", definition))
                .run(context -> assertRefused(context, ".start': ", "it is the init method of the bean's definition"));
    }

    @Test
    void aLazyBeanIsRefusedWhenItIsMade() {
        runner.withBean("job", ClosedWorker.class, ClosedWorker::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(catchThrowable(() -> context.getBean("job")))
                            .hasRootCauseInstanceOf(InvalidLeaseMethodException.class);
                });
    }

    @ParameterizedTest
    @ValueSource(classes = {OverridesInit.class, Injected.class, Aware.class, OfOwnInterface.class})
    void otherMethodsThatSpringCallsOnTheBeanItselfAreRefused(Class<?> type) {
        runner.withBean("job", type).run(context -> assertRefused(context, "': ", ""));
    }

    @Test
    void aMethodThatSpringDoesNotCallIsGuarded() {
        runner.withUserConfiguration(NotClosedBySpring.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean("notInferred", ClosedWorker.class).closeAndTell())
                    .isTrue();
            assertThat(context.getBean("prototype", ClosedWorker.class).closeAndTell())
                    .isTrue();
        });
    }

    @Test
    void ifOnlyTheClassIsAnnotatedAWarningNamesEachMethodOnce(CapturedOutput output) {
        runner.withUserConfiguration(AnnotatedClasses.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(warnings(output))
                .containsExactlyInAnyOrder(
                        "AnnotatedWorker.start",
                        "AnnotatedWorker.close",
                        "SubOfAnnotatedWorker.start",
                        "SubOfAnnotatedWorker.close");
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains("WARN") && line.contains(" runs without a lease, although its class has"))
                .map(line -> line.replaceAll(".*LifecycleMethodsTest\\$([\\w.]+)' runs.*", "$1"))
                .toList();
    }

    @Test
    void aLeadersMethodIsRefusedAlike() {
        runner.withUserConfiguration(LeaderByInit.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("@LeaderOnly on '" + Leading.class.getName()
                                + ".lead': Spring calls the method of bean 'leading" + PAST_PROXY));
    }

    @Test
    void switchedOffNothingIsRefused() {
        runner.withUserConfiguration(WithInit.class)
                .withPropertyValues("lease.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void assertRefused(AssertableApplicationContext context, String method, String reason) {
        assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidLeaseMethodException.class)
                .hasMessageContaining(method + "Spring calls the method of bean 'job" + PAST_PROXY)
                .hasMessageContaining(reason);
    }

    static class Worker {

        static final AtomicInteger STARTED = new AtomicInteger();

        @DistributedLease("worker")
        public void start() {
            STARTED.incrementAndGet();
        }

        @DistributedLease("worker")
        public void halt() {}

        public void other() {}
    }

    static class SubWorker extends Worker {
        @Override
        public void start() {
            super.start();
        }
    }

    interface Starts {
        @DistributedLease("starts")
        void start();
    }

    static class Starting implements Starts {
        @Override
        public void start() {}
    }

    static class ClosedWorker implements AutoCloseable {

        private boolean guarded;

        @Override
        @DistributedLease("close")
        public void close() {
            guarded = LeaseContext.find().isPresent();
        }

        @DistributedLease("close")
        public boolean closeAndTell() {
            close();
            return guarded;
        }
    }

    static class ShutDownWorker {
        @DistributedLease("shutdown")
        public void shutdown() {}
    }

    static class InferredWorker {
        @DistributedLease("close")
        public void close() {}
    }

    static class CloseableWorker implements Closeable {
        @Override
        @DistributedLease("close")
        public void close() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInit {
        @Bean(initMethod = "start")
        Worker job() {
            return new Worker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInheritedInit {
        @Bean(initMethod = "start")
        SubWorker job() {
            return new SubWorker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInitOfInterface {
        @Bean(initMethod = "start")
        Starts job() {
            return new Starting();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithDestroy {
        @Bean(destroyMethod = "halt")
        Worker job() {
            return new Worker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInferredClose {
        @Bean
        Object job() {
            return new InferredWorker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInferredShutdown {
        @Bean
        ShutDownWorker job() {
            return new ShutDownWorker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithCloseable {
        @Bean
        CloseableWorker job() {
            return new CloseableWorker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NotClosedBySpring {

        @Bean(destroyMethod = "")
        ClosedWorker notInferred() {
            return new ClosedWorker();
        }

        @Bean
        @Scope("prototype")
        ClosedWorker prototype() {
            return new ClosedWorker();
        }
    }

    static class Initializing {
        @PostConstruct
        public void begin() {}
    }

    static class OverridesInit extends Initializing {
        @Override
        @DistributedLease("begin")
        public void begin() {}
    }

    static class Injected {
        @Autowired
        @DistributedLease("injected")
        public void use(InMemoryLeaseStore store) {}
    }

    interface Prepared extends InitializingBean {
        @Override
        @DistributedLease("prepare")
        void afterPropertiesSet();
    }

    static class OfOwnInterface implements Prepared {
        @Override
        public void afterPropertiesSet() {}
    }

    static class Aware implements BeanNameAware {
        @Override
        @DistributedLease("aware")
        public void setBeanName(String name) {}
    }

    @DistributedLease("annotated")
    static class AnnotatedWorker implements AutoCloseable {

        public void start() {}

        public void other() {}

        @Override
        public void close() {}
    }

    static class SubOfAnnotatedWorker extends AnnotatedWorker {}

    @Configuration(proxyBeanMethods = false)
    static class AnnotatedClasses {

        @Bean(initMethod = "start")
        AnnotatedWorker one() {
            return new AnnotatedWorker();
        }

        @Bean(initMethod = "start")
        AnnotatedWorker two() {
            return new AnnotatedWorker();
        }

        @Bean(initMethod = "start")
        SubOfAnnotatedWorker three() {
            return new SubOfAnnotatedWorker();
        }
    }

    static class Leading {
        @LeaderOnly("leading")
        public void lead() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class LeaderByInit {
        @Bean(initMethod = "lead")
        Leading leading() {
            return new Leading();
        }
    }
}
