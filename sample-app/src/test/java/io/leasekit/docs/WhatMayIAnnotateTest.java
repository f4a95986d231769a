package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import jakarta.annotation.PostConstruct;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

/** The statements of docs/what-may-i-annotate.md that no other test covers. */
@ExtendWith(OutputCaptureExtension.class)
class WhatMayIAnnotateTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    @Test
    void aPostConstructMethodRunsWithoutALeaseAndWithoutAWarning(CapturedOutput output) {
        runner.withBean(AtStart.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(AtStart.ranUnderALease).isFalse();
        });

        assertThat(output).doesNotContain("WARN");
    }

    @Test
    void anEventListenerRunsUnderItsLease() {
        runner.withBean(OnEvent.class)
                .run(context -> assertThat(OnEvent.ranUnderALease).isTrue());
    }

    @Test
    void anApplicationRunnerRunsUnderItsLease() {
        runner.withBean(Runner.class).run(context -> {
            context.getBean(ApplicationRunner.class).run(null);

            assertThat(Runner.ranUnderALease).isTrue();
        });
    }

    @Test
    void theLeaseOfAMethodThatReturnsAFutureEndsWithItsReturn() {
        runner.withBean(Futures.class)
                .withPropertyValues("lease.release-in-background=false")
                .run(context -> {
                    Future<Integer> unfinished = context.getBean(Futures.class).begin();

                    assertThat(unfinished.isDone()).isFalse();
                    assertThat(context.getBean(InMemoryLeaseStore.class)
                                    .item("future")
                                    .orElseThrow()
                                    .releasedAtMillis())
                            .isNotNull();
                });
    }

    private static boolean isUnderALease() {
        return LeaseContext.find().isPresent();
    }

    static class AtStart {
        static boolean ranUnderALease = true;

        @PostConstruct
        @DistributedLease("at-start")
        public void begin() {
            ranUnderALease = isUnderALease();
        }
    }

    static class OnEvent {
        static boolean ranUnderALease;

        @EventListener(ContextRefreshedEvent.class)
        @DistributedLease("on-event")
        public void begin() {
            ranUnderALease = isUnderALease();
        }
    }

    static class Runner implements ApplicationRunner {
        static boolean ranUnderALease;

        @Override
        @DistributedLease("runner")
        public void run(ApplicationArguments arguments) {
            ranUnderALease = isUnderALease();
        }
    }

    static class Futures {

        @DistributedLease("future")
        public Future<Integer> begin() {
            return new FutureTask<>(() -> 7);
        }
    }
}
