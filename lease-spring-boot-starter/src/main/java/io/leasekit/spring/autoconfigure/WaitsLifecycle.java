package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import org.springframework.context.SmartLifecycle;

/**
 * Ends the waits of firings for their leases, and for runs of other nodes, when the context stops. This comes before the stop
 * of the schedulers that would execute these firings and runs.
 */
final class WaitsLifecycle implements SmartLifecycle {

    /** Above the phase of schedulers and executors, {@code Integer.MAX_VALUE / 2}: stopped before them. */
    static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private final DistributedLeaseAdvisor advisor;
    private volatile boolean running;

    WaitsLifecycle(DistributedLeaseAdvisor advisor) {
        this.advisor = advisor;
    }

    @Override
    public void start() {
        advisor.startWaiting();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
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
