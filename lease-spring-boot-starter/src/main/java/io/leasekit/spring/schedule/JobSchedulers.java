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
 * Schedulers on which Leasekit starts annotated scheduled methods. Uses the application's beans of type
 * {@link TaskScheduler}, selected as Spring selects schedulers for {@code @Scheduled} methods. Beans of other executor
 * types are not used. Thread-safe.
 */
@Internal
public final class JobSchedulers {

    /**
     * The bean name of an executor that tests with virtual time define. If a bean with this name exists, it runs all
     * jobs in place of the schedulers.
     */
    static final String OVERRIDE = "leaseRunExecutor";

    private final BeanFactory beanFactory;
    private final AtomicReference<@Nullable SimpleAsyncTaskScheduler> own = new AtomicReference<>();

    public JobSchedulers(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * Starts the task on the scheduler with this bean name or qualifier. If the name is empty or unknown, the task
     * starts on the scheduler that Spring would select by default. If the application has no scheduler, this method
     * creates a scheduler. This method does not wait until the scheduler has a free thread.
     *
     * @param onRejected called with the scheduler's exception if the scheduler rejects the task, for example after a
     *     shutdown; may be called on another thread
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
            // not schedule(), which would drop a rejection by the target executor or by the concurrency limit;
            // execute() may block, so it runs on another scheduler
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

    /** Returns the clock of the scheduler that {@link #start} would use; the system clock if there is no scheduler. */
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

    /** Returns the scheduler for this name, as Spring selects it; {@code null} if there is no such scheduler. */
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

    /**
     * Closes the scheduler that this object has created, if any. If this object is used again after the close, it
     * creates a new scheduler.
     */
    public void close() {
        SimpleAsyncTaskScheduler known = own.getAndSet(null);
        if (known != null) {
            known.close();
        }
    }
}
