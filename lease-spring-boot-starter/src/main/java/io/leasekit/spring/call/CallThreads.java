package io.leasekit.spring.call;

import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * The threads that call annotated methods whose result is a {@code CompletionStage}. The application's executors are
 * unsuitable, because all their threads might be waiting for results of annotated methods. Thread-safe.
 */
final class CallThreads {

    private static final Logger log = LoggerFactory.getLogger(CallThreads.class);

    private static final boolean PROPAGATION =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallThreads.class.getClassLoader());

    private final AtomicInteger count = new AtomicInteger();
    private final Executor threads = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), this::newThread);

    private Thread newThread(Runnable task) {
        // the thread serves other callers later, so it must not inherit thread-locals from the caller that created it
        Thread thread = new Thread(null, task, "lease-call-" + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Returns an executor whose tasks see the caller's class loader and, with Micrometer, the caller's registered
     * thread-locals. If no thread can be started for a task, the thread that submits the task runs it.
     */
    Executor withContextOfCaller() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Executor executor = task -> threads.execute(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            task.run();
        });
        return RunOnce.onOrHere(PROPAGATION ? Propagation.ofCaller(executor) : executor);
    }

    /** A separate class, so that the outer class can be loaded without Micrometer's context propagation. */
    private static final class Propagation {

        static Executor ofCaller(Executor executor) {
            ContextSnapshot ofCaller;
            try {
                ofCaller = ContextSnapshotFactory.builder().build().captureAll();
            } catch (Throwable e) {
                Quietly.run(() -> log.warn("Thread-locals of a caller cannot be passed on: {}", Text.why(e)));
                return executor;
            }
            return task -> executor.execute(() -> run(new RunOnce(task), ofCaller));
        }

        /**
         * If an accessor throws, this thread may keep thread-locals of the caller, so the exception ends the thread.
         */
        private static void run(RunOnce task, ContextSnapshot ofCaller) {
            try {
                ofCaller.wrap(task).run();
            } finally {
                task.run();
            }
        }
    }
}
