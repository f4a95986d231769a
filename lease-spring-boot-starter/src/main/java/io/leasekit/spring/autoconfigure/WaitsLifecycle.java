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
 * When the context begins to close or stops, asks all work under leases to stop, and ends the waits of scheduled calls
 * for leases and for runs of other nodes. This class runs before the application's own listeners and before schedulers
 * stop, because listeners and schedulers may wait for work under leases.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WaitsLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /**
     * The lifecycle phase of this bean: higher than the phase of schedulers and executors,
     * {@code Integer.MAX_VALUE / 2}, so that this bean stops before schedulers and executors.
     */
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
        // events of child contexts also arrive here
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

    // a paused context keeps its managers and their waiters
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
