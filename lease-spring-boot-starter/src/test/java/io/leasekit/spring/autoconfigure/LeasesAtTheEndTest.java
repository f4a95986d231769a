package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/** Until when code that runs at the end of an application can use leases. */
@Tag("boot3")
class LeasesAtTheEndTest {

    private final List<String> leased = new ArrayList<>();

    @Test
    void listenersAndStopsOfTheDefaultPhaseGetLeasesAndDestroyMethodsNone() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
                .withBean(InMemoryLeaseStore.class)
                .withBean(Work.class)
                .withBean(AtTheEnd.class, () -> new AtTheEnd(leased))
                .run(context -> context.getBean(AtTheEnd.class)
                        .use(context.getBean(Work.class), context.getBean(LeaseManager.class)));

        assertThat(leased)
                .containsExactly("event true true", "stop true true", "destroy LeaseException LeaseException");
    }

    static class Work {
        @DistributedLease("work")
        public boolean run() {
            return LeaseContext.find().isPresent();
        }
    }

    static class AtTheEnd implements ApplicationListener<ContextClosedEvent>, SmartLifecycle, DisposableBean {

        private final List<String> leased;
        private Work work = new Work();
        private LeaseManager leases;
        private boolean running;

        AtTheEnd(List<String> leased) {
            this.leased = leased;
        }

        void use(Work annotated, LeaseManager manager) {
            work = annotated;
            leases = manager;
        }

        private void note(String when) {
            leased.add(when + " " + attempt(work::run) + " "
                    + attempt(() -> leases.tryCall(LeaseRequest.of("own"), Lease::isValid)
                            .orElse(false)));
        }

        private static String attempt(Supplier<Boolean> use) {
            try {
                return use.get().toString();
            } catch (LeaseException e) {
                return e.getClass().getSimpleName();
            }
        }

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            note("event");
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            note("stop");
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public void destroy() {
            note("destroy");
        }
    }
}
