package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.internal.EngineTable;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.schedule.TaskHolders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * When the context first starts, checks the lease annotations of all beans, before schedulers start. When the context
 * stops, closes all managers, after schedulers have stopped and before client beans are destroyed.
 */
final class LeaseLifecycle implements SmartLifecycle, ApplicationListener<ApplicationContextEvent> {

    /** This bean stops after schedulers and executors (phase {@code Integer.MAX_VALUE / 2}). */
    static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

    /** Maximum time that the shutdown waits for firings that began while the schedulers stopped. */
    private static final Duration LAST_FIRINGS = Duration.ofSeconds(2);

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
        ManagerBeans.made(beanFactory).values().forEach(manager -> {
            if (manager instanceof EngineTable engine) {
                engine.reopen();
            }
        });
        if (!prepared) {
            advisor.prepare();
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
            awaitFirings();
        }
        return CompletableFuture.allOf(ManagerBeans.made(beanFactory).values().stream()
                .map(LeaseManager::closeAsync)
                // In a test, a mocked manager returns null instead of a stage.
                .filter(Objects::nonNull)
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture[]::new));
    }

    @Override
    public void onApplicationEvent(ApplicationContextEvent event) {
        ApplicationContext context = event.getApplicationContext();
        // This listener also receives the events of child contexts.
        boolean own = context.getAutowireCapableBeanFactory() == beanFactory;
        if (own && event instanceof ContextClosedEvent) {
            closing = true;
        } else if (own && event instanceof ContextRefreshedEvent) {
            // Spring's own listener has already called the SchedulingConfigurers.
            advisor.tasksAreKnown();
            for (ApplicationContext parent = context.getParent(); parent != null; parent = parent.getParent()) {
                advisor.check(parent);
            }
        } else if (event instanceof ContextRefreshedEvent) {
            advisor.check(context);
        }
    }

    /** Without this method, a stopped scheduler could still execute the next firing of each task. */
    private void cancelFirings() {
        TaskHolders.existing(beanFactory)
                .flatMap(holder -> holder.getScheduledTasks().stream())
                .forEach(task -> task.cancel(false));
    }

    /** Stops each scheduler a second time, because {@code stop} calls back after all running tasks have ended. */
    private void awaitFirings() {
        List<CompletableFuture<Void>> ended = new ArrayList<>();
        for (String name : beanFactory.getBeanNamesForType(ThreadPoolTaskScheduler.class, true, false)) {
            if (beanFactory.containsSingleton(name)) {
                CompletableFuture<Void> firings = new CompletableFuture<>();
                beanFactory.getBean(name, ThreadPoolTaskScheduler.class).stop(() -> firings.complete(null));
                ended.add(firings);
            }
        }
        CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, LAST_FIRINGS.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    // Spring Framework 7 pauses and reuses the contexts of tests, and a pause must not end all leases
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
