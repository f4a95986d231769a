package io.leasekit.spring.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Contexts with and without the starter, one the parent of the other. */
class ContextHierarchyTest {

    /** Refreshed with the first child. */
    private final AnnotationConfigApplicationContext root = new AnnotationConfigApplicationContext();

    @AfterEach
    void close() {
        root.close();
    }

    private AnnotationConfigApplicationContext child(Class<?>... classes) {
        if (!root.isActive()) {
            root.setId("root");
            root.register(Leases.class);
            root.refresh();
        }
        return childOf(root, "child", classes);
    }

    private static AnnotationConfigApplicationContext childOf(
            ConfigurableApplicationContext parent, String id, Class<?>... classes) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setId(id);
        context.setParent(parent);
        context.register(classes);
        context.refresh(); // closes itself if it fails
        return context;
    }

    private AbstractThrowableAssert<?, ?> assertRefuses(Class<?>... classes) {
        return assertThatThrownBy(() -> child(classes)).isInstanceOf(InvalidLeaseMethodException.class);
    }

    @Test
    void aChildWithoutTheStarterIsRefused() {
        assertRefuses(Scheduling.class, Job.class)
                .hasMessage("@DistributedLease on '" + Job.class.getName()
                        + ".run': the bean 'job' is in context 'child', which lacks Leasekit's auto-configuration, so the"
                        + " method would run without a lease or its slots")
                .extracting("fix")
                .isEqualTo(
                        "Add '@ImportAutoConfiguration(LeaseAutoConfiguration.class)' to a configuration of context 'child',"
                                + " or move the bean to a context that has it.");
    }

    @Test
    void soIsAMethodThatWouldNeverLead() {
        assertRefuses(Leader.class)
                .hasMessage("@LeaderOnly on '" + Leader.class.getName()
                        + ".lead': the bean 'leader' is in context 'child', which lacks Leasekit's auto-configuration, so no"
                        + " election would call the method");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Service.class,
                Listener.class,
                ComposedJob.class,
                JobOfAnInterface.class,
                JobOfAClass.class,
                LazyJob.class,
                Prototype.class
            })
    void soIsEachOtherForm(Class<?> bean) {
        assertRefuses(Scheduling.class, bean).hasMessageContaining("is in context 'child'");
    }

    @ParameterizedTest
    @ValueSource(classes = {Job.class, Leader.class, LazyJob.class})
    void soIsAChildWithAProxyCreatorOfItsOwn(Class<?> bean) {
        assertRefuses(Scheduling.class, Proxies.class, bean).hasMessageContaining("is in context 'child'");
    }

    @Test
    void soIsAParentWithoutTheStarter() {
        root.setId("root");
        root.register(Job.class);
        root.refresh();

        assertThatThrownBy(() -> child(Leases.class)).hasMessageContaining("the bean 'job' is in context 'root'");
    }

    @Test
    void soIsAGrandchildWithoutTheStarter() {
        ConfigurableApplicationContext child = child(Starter.class);

        assertThatThrownBy(() -> childOf(child, "grandchild", Job.class))
                .hasMessageContaining("is in context 'grandchild'");
        assertThat(child.isActive()).isTrue();
    }

    @Test
    void aBootApplicationWithSuchAChildDoesNotStart() {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Leases.class)
                .web(WebApplicationType.NONE)
                .child(Scheduling.class, Job.class)
                .web(WebApplicationType.NONE);

        assertThatThrownBy(application::run).hasMessageContaining("the bean 'job' is in context '");
        application.parent().context().close();
    }

    @Test
    void aChildWithTheStarterHasLeasesOfTheParentsManager() {
        ConfigurableApplicationContext child = child(Starter.class, Service.class);

        assertThat(child.getBean(Service.class).key()).isEqualTo("service");
        assertThat(child.getBean(LeaseManager.class)).isSameAs(root.getBean(LeaseManager.class));
        child.close();
        assertThat(root.getBean(LeaseManager.class).tryAcquire("service")).isPresent();
    }

    @Test
    void aChildWithoutAnnotatedBeansIsAccepted() {
        assertThat(child(Scheduling.class, Plain.class).isActive()).isTrue();
    }

    @Test
    void nothingIsRefusedWhileLeasesAreSwitchedOff() {
        TestPropertyValues.of("lease.enabled=false").applyTo(root);

        assertThat(child(Scheduling.class, Job.class).isActive()).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LeaseAutoConfiguration.class)
    static class Leases {
        @Bean
        InMemoryLeaseStore store() {
            return new InMemoryLeaseStore();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LeaseAutoConfiguration.class)
    static class Starter {}

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(AopAutoConfiguration.class)
    static class Proxies {}

    @Component
    static class Plain {
        @Scheduled(cron = "0 0 3 * * *")
        void run() {}
    }

    @Component("job")
    static class Job {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("job")
        void run() {}
    }

    @Component("leader")
    static class Leader {
        @LeaderOnly("leader")
        void lead() {}
    }

    static class Service {
        @DistributedLease("service")
        public String key() {
            return LeaseContext.current().key();
        }
    }

    static class Listener {
        @EventListener
        @DistributedLease("listener")
        public void on(String event) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLease("composed")
    @interface Nightly {}

    static class ComposedJob {
        @Nightly
        void run() {}
    }

    interface Leased {
        @DistributedLease("interface")
        void run();
    }

    static class JobOfAnInterface implements Leased {
        @Override
        @Scheduled(cron = "0 0 3 * * *")
        public void run() {}
    }

    @DistributedLease("class")
    static class JobOfAClass {
        @Scheduled(cron = "0 0 3 * * *")
        void run() {}
    }

    @Lazy
    @Component
    static class LazyJob {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("lazy")
        void run() {}
    }

    @Scope("prototype")
    @Component
    static class Prototype {
        @DistributedLease("prototype")
        public void run() {}
    }
}
