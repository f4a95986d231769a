package io.leasekit.threads;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.time.EngineTime;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the callbacks for lost leases on separate threads, so that callbacks for other events do not delay losses.
 * Thread-safe.
 */
@Internal
public final class Losses {

    private static final Logger log = LoggerFactory.getLogger(Losses.class);
    private static final long WARNING_PAUSE = 60 * SECOND;
    private static final long RETRY = SECOND / 10;

    private final Executor threads;
    private final EngineTime time;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean retrying = new AtomicBoolean();
    private final AtomicLong warned;

    /** The executor {@code threads} must reject a task if no thread is free. */
    public Losses(Executor threads, EngineTime time) {
        this.threads = threads;
        this.time = time;
        this.warned = new AtomicLong(time.nanos() - WARNING_PAUSE);
    }

    public void run(Runnable task) {
        if (!start(task)) {
            waiting.add(task);
            warn();
            // A busy thread may never become free and run the waiting task, so a timer retries.
            tryLater();
        }
    }

    private void tryLater() {
        if (retrying.compareAndSet(false, true)) {
            time.schedule(RETRY, this::runWaiting);
        }
    }

    private boolean start(Runnable task) {
        try {
            threads.execute(() -> {
                for (Runnable next = task; next != null; next = waiting.poll()) {
                    Quietly.run(next);
                }
            });
            return true;
        } catch (Throwable e) {
            return false;
        }
    }

    private void runWaiting() {
        // This line precedes poll(), so that a task that is added later sets the next timer.
        retrying.set(false);
        @Nullable Runnable next = waiting.poll();
        while (next != null && start(next)) {
            next = waiting.poll();
        }
        if (next != null) {
            waiting.add(next);
            tryLater();
        }
    }

    private void warn() {
        long now = time.nanos();
        long last = warned.get();
        if (now - last >= WARNING_PAUSE && warned.compareAndSet(last, now)) {
            Quietly.run(() ->
                    log.warn("All threads that report lost leases are busy, so losses are reported late: callbacks"
                            + " for a lost lease should return quickly"));
        }
    }
}
