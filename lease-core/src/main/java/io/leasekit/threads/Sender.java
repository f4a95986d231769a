package io.leasekit.threads;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.time.EngineTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the store on sender threads and on threads of blocking callers, because the SDK can block the calling thread.
 * The requests of a step are sent after the step, when the thread holds no lock and occupies no mailbox. Thread-safe.
 */
@Internal
public final class Sender {

    private static final Logger log = LoggerFactory.getLogger(Sender.class);
    private static final long RETRY_DELAY = SECOND / 10;
    private static final long WARNING_INTERVAL = 60 * SECOND;

    private final Executor threads;
    private final EngineTime time;
    private final AtomicLong nextWarning;

    public Sender(Executor threads, EngineTime time) {
        this.threads = threads;
        this.time = time;
        this.nextWarning = new AtomicLong(time.nanos());
    }

    /** Collects the requests of one step; requests that another thread adds are sent on a sender thread. */
    public final class Sending {
        private final Thread collector = Thread.currentThread();
        private final List<Runnable> requests = new ArrayList<>(1);
        // Only the collector thread uses this field.
        private boolean sent;

        public boolean collects() {
            return Thread.currentThread().equals(collector) && !sent;
        }

        public void add(Runnable request) {
            if (collects()) {
                requests.add(request);
            } else {
                later(other -> other.add(request));
            }
        }

        private void send() {
            sent = true;
            requests.forEach(Quietly::run);
        }
    }

    public void later(Consumer<Sending> step) {
        try {
            threads.execute(() -> Quietly.run(() -> here(step)));
        } catch (Throwable e) {
            warn(e);
            time.schedule(RETRY_DELAY, () -> later(step));
        }
    }

    /** Warns at most once a minute, because each request could cause the warning. */
    private void warn(Throwable error) {
        long now = time.nanos();
        long next = nextWarning.get();
        if (now - next >= 0 && nextWarning.compareAndSet(next, now + WARNING_INTERVAL)) {
            Quietly.run(() -> log.warn("No thread could be started to send requests; trying again in 0.1 s", error));
        }
    }

    public void here(Consumer<Sending> step) {
        var unused = resultOf(sending -> {
            step.accept(sending);
            return sending;
        });
    }

    public <T> T resultOf(Function<Sending, T> step) {
        Sending sending = new Sending();
        try {
            return step.apply(sending);
        } finally {
            sending.send();
        }
    }
}
