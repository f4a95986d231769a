package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/**
 * Prepares annotated methods when the context first starts, and closes all managers when it stops. A start after a stop
 * creates their successors. Preparation comes before schedulers start. Closing comes after they have stopped and before
 * client beans are destroyed.
 */
final class LeaseLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** Below the phase of schedulers and executors, {@code Integer.MAX_VALUE / 2}. */
    static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

    private final ConfigurableListableBeanFactory beanFactory;
    private final DistributedLeaseAdvisor advisor;
    private volatile boolean prepared;
    private volatile boolean running;
    private volatile boolean closing;

    LeaseLifecycle(ConfigurableListableBeanFactory beanFactory, DistributedLeaseAdvisor advisor) {
        this.beanFactory = beanFactory;
        this.advisor = advisor;
    }

    @Override
    public void start() {
        ManagerBeans.made(beanFactory).values().forEach(RestartableManager::restart);
        if (!prepared) {
            advisor.prepare(); // once, as a restart has the same beans
            prepared = true;
        }
        running = true;
    }

    @Override
    public void stop() {
        closeAll().join();
    }

    @Override
    public void stop(Runnable callback) {
        var unused = closeAll().whenComplete((done, failure) -> callback.run());
    }

    private CompletableFuture<Void> closeAll() {
        running = false;
        if (closing) {
            cancelFirings();
        }
        return CompletableFuture.allOf(ManagerBeans.made(beanFactory).values().stream()
                .map(LeaseManager::closeAsync)
                .filter(Objects::nonNull) // a mock of a test returns none
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture[]::new));
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        // the event of a child context comes here, too
        if (event.getApplicationContext().getAutowireCapableBeanFactory() == beanFactory) {
            closing = true;
        }
    }

    /**
     * Cancels the firings that a scheduler has left. It has stopped, but if it does not wait for its tasks, it still
     * executes the next firing of each. Such a firing would find the managers closed.
     */
    private void cancelFirings() {
        for (String name : beanFactory.getBeanNamesForType(ScheduledTaskHolder.class, true, false)) {
            if (beanFactory.containsSingleton(name)) {
                beanFactory
                        .getBean(name, ScheduledTaskHolder.class)
                        .getScheduledTasks()
                        .forEach(task -> task.cancel(false));
            }
        }
    }

    // a closed manager cannot be reopened, but tests with Spring Framework 7 pause contexts and use them again later
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
