package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.aop.LeasedBeans;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

@Tag("boot3")
@ExtendWith(OutputCaptureExtension.class)
class LeaseAutoConfigurationTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class));

    private final ApplicationContextRunner runner = bare.withBean(InMemoryLeaseStore.class);

    @Test
    void managerAndAdviceAreThere() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(LeaseManager.class)
                .hasSingleBean(DistributedLeaseAdvisor.class)
                .hasSingleBean(LeaseLifecycle.class));
    }

    @Test
    void withoutAnAnnotatedMethodNothingIsMade() throws Exception {
        OwnThreads.test(started -> bare.withBean(Unannotated.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(started.get()).isEmpty();
            assertThat(context.getBeanFactory().containsSingleton("leaseManager"))
                    .isFalse();
            assertThat(context.getBeanFactory().containsSingleton("leaseStore")).isFalse();
            assertThat(context.getBeanFactory().containsSingleton(LeaseDynamoDbAutoConfiguration.CLIENT))
                    .isFalse();
        }));
    }

    @Test
    void anAnnotatedMethodMakesTheManagerAtStartUp() {
        runner.withBean(Job.class)
                .run(context -> assertThat(context.getBeanFactory().containsSingleton("leaseManager"))
                        .isTrue());
    }

    @Test
    void anAnnotatedMethodRunsUnderALease() {
        runner.withBean(Job.class).run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            assertThat(context.getBean(Job.class).isFree(leases)).isFalse();
            assertThat(LeasedBeans.isFree(leases, "job")).isTrue();
        });
    }

    @Test
    void aManagerOfTheApplicationsWins() {
        LeaseManager own = LeaseManager.builder(new InMemoryLeaseStore()).build();
        bare.withBean("own", LeaseManager.class, () -> own).run(context -> {
            assertThat(context).hasSingleBean(LeaseManager.class).doesNotHaveBean(LeaseStore.class);
            assertThat(context.getBean(LeaseManager.class)).isSameAs(own);
        });
    }

    @Test
    void ownerAndListenersReachTheManager() {
        Events events = new Events();
        runner.withBean(Events.class, () -> events)
                .withPropertyValues("lease.owner=node-1")
                .run(context -> {
                    try (Lease lease = context.getBean(LeaseManager.class)
                            .tryAcquire("key")
                            .orElseThrow()) {
                        assertThat(lease.owner()).isEqualTo("node-1");
                    }
                });
        assertThat(events.acquired).succeedsWithin(Duration.ofMinutes(10));
    }

    @Test
    void theOwnerNamesTheApplication() {
        runner.withPropertyValues("spring.application.name=shop").run(context -> {
            try (Lease lease =
                    context.getBean(LeaseManager.class).tryAcquire("key").orElseThrow()) {
                assertThat(lease.owner()).matches("shop@.+/\\d+-[0-9a-f]{4}");
            }
        });
    }

    @Test
    void withoutBootsAopMethodsAreAdvisedAllTheSame() {
        runner.withBean(Job.class)
                .withPropertyValues("spring.aop.auto=false")
                .run(context -> assertThat(AopUtils.isCglibProxy(context.getBean(Job.class)))
                        .isTrue());
    }

    @Test
    void withJdkProxiesMethodsAreAdvised() {
        runner.withBean(InterfaceJob.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> {
                    Runs job = context.getBean(Runs.class);
                    assertThat(AopUtils.isJdkDynamicProxy(job)).isTrue();
                    assertThat(job.isFree(context.getBean(LeaseManager.class))).isFalse();
                });
    }

    @Test
    void anAnnotationThatCannotWorkStopsTheStart() {
        runner.withBean(Invalid.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .cause()
                        .hasMessageContaining(
                                "@DistributedLease on '" + Invalid.class.getName() + ".run': ttl is 'soon'"));
    }

    @Test
    void aKeyWithAnUnknownBeanStopsTheStartWithTheMethodsName() {
        runner.withBean(UnknownBean.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("it uses the bean 'tenants', which does not exist"));
        runner.withBean(UnknownBean.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .cause()
                        .hasMessage("@DistributedLease on '" + UnknownBean.class.getName()
                                + ".run': key '#{@tenants.current}' cannot be read: it uses the bean 'tenants', which does"
                                + " not exist"));
    }

    @Test
    void aScheduledMethodWithAParameterStopsTheStartWithOurText() {
        runner.withBean(ScheduledWithLease.class)
                .withUserConfiguration(Scheduling.class)
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessage(
                                        "@DistributedLease on '" + ScheduledWithLease.class.getName()
                                                + ".run': a method with @Scheduled must not have parameters, not even one for the lease"));
    }

    @Test
    void theKeyPrefixStandsBeforeTheKey() {
        runner.withBean(Job.class)
                .withPropertyValues("spring.application.name=shop", "lease.key-prefix=${spring.application.name}/")
                .run(context -> context.getBean(Job.class)
                        .run(() -> assertThat(LeaseContext.current().key()).isEqualTo("shop/job")));
    }

    @Test
    void theEventsOfOurManagerAreSpringEvents() throws Exception {
        runner.withBean(Job.class).withUserConfiguration(SpringEvents.class).run(context -> {
            SpringEvents events = context.getBean(SpringEvents.class);
            context.getBean(Job.class).run(() -> {});

            assertThat(events.all.poll(10, TimeUnit.MINUTES)).isInstanceOf(LeaseEvent.Acquired.class);
            assertThat(events.all.poll(10, TimeUnit.MINUTES)).isInstanceOf(LeaseEvent.Released.class);
            assertThat(events.released.poll(10, TimeUnit.MINUTES))
                    .extracting(LeaseEvent::key)
                    .isEqualTo("job");
        });
    }

    @Test
    void aFailingEventListenerStopsNoCall() {
        runner.withBean(Job.class).withUserConfiguration(FailingListener.class).run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            assertThat(context.getBean(Job.class).isFree(leases)).isFalse();
            assertThat(LeasedBeans.isFree(leases, "job")).isTrue();
        });
    }

    @Test
    void noBeanIsMadeTooEarlyToBeAdvisedAndNoSchedulerIsDefined(CapturedOutput output) {
        runner.withBean(Job.class).withUserConfiguration(Scheduling.class).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(TaskScheduler.class);
            assertThat(output).doesNotContain("not eligible for");
        });
    }

    @Test
    void theManagerIsClosedWithTheContext() {
        runner.run(context -> {
            LeaseManager manager = context.getBean(LeaseManager.class);
            context.close();
            assertThatExceptionOfType(LeaseException.class).isThrownBy(() -> manager.tryAcquire("key"));
        });
    }

    static class Unannotated {
        public void run() {}
    }

    static class Job {
        @DistributedLease("job")
        public void run(Runnable body) {
            body.run();
        }

        @DistributedLease("job")
        public boolean isFree(LeaseManager leases) {
            return LeasedBeans.isFree(leases, "job");
        }
    }

    interface Runs {
        @DistributedLease("job")
        boolean isFree(LeaseManager leases);
    }

    static class InterfaceJob implements Runs {
        @Override
        public boolean isFree(LeaseManager leases) {
            return LeasedBeans.isFree(leases, "job");
        }
    }

    static class UnknownBean {
        @DistributedLease("#{@tenants.current}")
        public void run() {}
    }

    static class ScheduledWithLease {
        @DistributedLease
        @Scheduled(fixedDelay = 1000)
        public void run(@Nullable Lease lease) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class SpringEvents {

        final BlockingQueue<LeaseEvent> all = new LinkedBlockingQueue<>();
        final BlockingQueue<LeaseEvent> released = new LinkedBlockingQueue<>();

        @EventListener
        void on(LeaseEvent event) {
            all.add(event);
        }

        @EventListener
        void on(LeaseEvent.Released event) {
            released.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FailingListener {

        @EventListener
        void on(LeaseEvent event) {
            throw new IllegalStateException("on " + event);
        }
    }

    static class Invalid {
        @DistributedLease(ttl = "soon")
        public void run() {}
    }

    static class Events implements LeaseListener {

        final CompletableFuture<LeaseEvent> acquired = new CompletableFuture<>();

        @Override
        public void onEvent(LeaseEvent event) {
            if (event instanceof LeaseEvent.Acquired) {
                acquired.complete(event);
            }
        }
    }
}
