package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import org.springframework.context.SmartLifecycle;

/** Ends the waiting for other nodes' runs when the context stops, before the schedulers do that would run them. */
final class RunWaitersLifecycle implements SmartLifecycle {

    /** Above the phase of schedulers and executors, {@code Integer.MAX_VALUE / 2}: stopped before them. */
    static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private final DistributedLeaseAdvisor advisor;
    private volatile boolean running;

    RunWaitersLifecycle(DistributedLeaseAdvisor advisor) {
        this.advisor = advisor;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        advisor.stopWaiting();
    }

    // a context that is paused keeps its managers, and what waits for them
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
