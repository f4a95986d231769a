package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.internal.Quietly;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * When the context closes or stops, asks all work under leases to stop, and ends waits of scheduled calls. Runs before
 * listeners of the application and before schedulers stop, because both may wait for work under leases.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WaitsLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** This bean stops before schedulers and executors (phase {@code Integer.MAX_VALUE / 2}). */
    private static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private final ConfigurableListableBeanFactory beanFactory;
    private final DistributedLeaseAdvisor advisor;
    private volatile boolean running;

    WaitsLifecycle(ConfigurableListableBeanFactory beanFactory, DistributedLeaseAdvisor advisor) {
        this.beanFactory = beanFactory;
        this.advisor = advisor;
    }

    @Override
    public void start() {
        advisor.startWaiting();
        running = true;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        // This listener also receives the events of child contexts.
        if (event.getApplicationContext().getAutowireCapableBeanFactory() == beanFactory) {
            beginToEnd();
        }
    }

    @Override
    public void stop() {
        running = false;
        beginToEnd();
    }

    private void beginToEnd() {
        for (LeaseManager manager : ManagerBeans.made(beanFactory).values()) {
            Quietly.run(manager::requestStop);
        }
        advisor.stopWaiting();
    }

    // A paused context keeps its managers and their waiters, so Spring must not pause this bean.
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
