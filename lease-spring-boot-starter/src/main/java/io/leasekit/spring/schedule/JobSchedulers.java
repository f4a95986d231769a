package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.time.Clock;
import java.time.ZoneId;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/**
 * The schedulers on which Leasekit starts scheduled methods, selected as Spring selects them for {@code @Scheduled}.
 * Thread-safe.
 */
@Internal
public final class JobSchedulers {

    /** The bean name of an executor that runs all jobs in place of the schedulers, in tests with virtual time. */
    static final String OVERRIDE = "leaseRunExecutor";

    private final BeanFactory beanFactory;
    private final AtomicReference<@Nullable SimpleAsyncTaskScheduler> own = new AtomicReference<>();

    public JobSchedulers(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * If no scheduler has this name or qualifier, the task starts on Spring's default scheduler, or else on a new
     * scheduler.
     *
     * @param onRejected called if the scheduler rejects the task, for example after a shutdown; may be called on
     *     another thread
     */
    public void start(String name, Runnable task, Consumer<Throwable> onRejected) {
        execute(now -> hand(name, now, onRejected), task, onRejected);
    }

    private void hand(String name, Runnable task, Consumer<Throwable> onRejected) {
        if (areOfTest(beanFactory)) {
            beanFactory.getBean(OVERRIDE, Executor.class).execute(task);
            return;
        }
        TaskScheduler scheduler = get(name);
        if (scheduler instanceof SimpleAsyncTaskScheduler executor && executor != own.get()) {
            // schedule() would drop a rejection by the target executor or the concurrency limit. execute() may block,
            // so a thread of this object's own scheduler calls it.
            own().execute(() -> execute(executor, task, onRejected));
        } else {
            scheduler.schedule(task, scheduler.getClock().instant());
        }
    }

    private static void execute(Executor executor, Runnable task, Consumer<Throwable> onRejected) {
        try {
            executor.execute(task);
        } catch (Throwable e) { // schedulers of the application may throw anything
            onRejected.accept(e);
        }
    }

    private static boolean areOfTest(BeanFactory beanFactory) {
        return beanFactory.containsBean(OVERRIDE);
    }

    public static Clock clock(BeanFactory beanFactory, String name) {
        TaskScheduler scheduler = find(beanFactory, name);
        Clock clock = scheduler == null ? null : scheduler.getClock();
        // the clock is null if the scheduler is a mock
        return clock == null ? Clock.system(ZoneId.systemDefault()) : clock;
    }

    private TaskScheduler get(String name) {
        TaskScheduler found = find(beanFactory, name);
        return found == null ? own() : found;
    }

    static @Nullable TaskScheduler find(BeanFactory beanFactory, String name) {
        TaskScheduler found = name.isEmpty() ? null : qualified(beanFactory, name);
        if (found == null) {
            found = beanFactory.getBeanProvider(TaskScheduler.class).getIfUnique();
        }
        return found == null
                ? qualified(beanFactory, ScheduledAnnotationBeanPostProcessor.DEFAULT_TASK_SCHEDULER_BEAN_NAME)
                : found;
    }

    private static @Nullable TaskScheduler qualified(BeanFactory beanFactory, String name) {
        try {
            return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, TaskScheduler.class, name);
        } catch (NoSuchBeanDefinitionException e) {
            return null;
        }
    }

    private SimpleAsyncTaskScheduler own() {
        SimpleAsyncTaskScheduler known = own.get();
        if (known != null) {
            return known;
        }
        SimpleAsyncTaskScheduler fresh = new SimpleAsyncTaskScheduler();
        fresh.setThreadNamePrefix("lease-run-");
        fresh.setDaemon(true);
        if (own.compareAndSet(null, fresh)) {
            return fresh;
        }
        fresh.close();
        return own();
    }

    /** Closes the scheduler that this object has created; a later call of {@link #start} creates a new scheduler. */
    public void close() {
        SimpleAsyncTaskScheduler known = own.getAndSet(null);
        if (known != null) {
            known.close();
        }
    }
}
