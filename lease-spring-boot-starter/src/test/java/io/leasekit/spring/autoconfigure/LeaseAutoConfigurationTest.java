package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStore;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.DistributedLeaseAdvisor;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LeaseAutoConfigurationTest {

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LeaseDisabledAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseAutoConfiguration.class));

    private final ApplicationContextRunner runner = bare.withBean(InMemoryLeaseStore.class);

    @Test
    void managerAndAdviceAreThere() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(LeaseManager.class)
                .hasSingleBean(DistributedLeaseAdvisor.class)
                .hasSingleBean(LeaseLifecycle.class));
    }

    @Test
    void withoutAnAnnotatedMethodNothingIsMade() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        bare.withBean(Unannotated.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(Thread.getAllStackTraces().keySet()).isSubsetOf(before);
            assertThat(context.getBeanFactory().containsSingleton("leaseManager"))
                    .isFalse();
            assertThat(context.getBeanFactory().containsSingleton("leaseStore")).isFalse();
            assertThat(context.getBeanFactory().containsSingleton(LeaseDynamoDbAutoConfiguration.CLIENT))
                    .isFalse();
        });
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
            assertThat(isFree(leases)).isTrue();
        });
    }

    @Test
    void switchedOffItSaysSoAndMethodsRunWithout(CapturedOutput output) {
        runner.withBean(Job.class).withPropertyValues("lease.enabled=false").run(context -> {
            assertThat(context).doesNotHaveBean(LeaseManager.class).doesNotHaveBean(DistributedLeaseAdvisor.class);
            assertThat(AopUtils.isAopProxy(context.getBean(Job.class))).isFalse();
            assertThat(output)
                    .contains(
                            "Leases are switched off by 'lease.enabled=false': methods with @DistributedLease run without"
                                    + " one");
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
        assertThat(events.acquired).succeedsWithin(Duration.ofSeconds(30));
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
    void theManagerIsClosedWithTheContext() {
        runner.run(context -> {
            LeaseManager manager = context.getBean(LeaseManager.class);
            context.close();
            assertThatExceptionOfType(LeaseException.class).isThrownBy(() -> manager.tryAcquire("key"));
        });
    }

    private static boolean isFree(LeaseManager leases) {
        Optional<Lease> lease = leases.tryAcquire("job");
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }

    static class Unannotated {
        public void run() {}
    }

    static class Job {
        @DistributedLease("job")
        public boolean isFree(LeaseManager leases) {
            return LeaseAutoConfigurationTest.isFree(leases);
        }
    }

    interface Runs {
        @DistributedLease("job")
        boolean isFree(LeaseManager leases);
    }

    static class InterfaceJob implements Runs {
        @Override
        public boolean isFree(LeaseManager leases) {
            return LeaseAutoConfigurationTest.isFree(leases);
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
