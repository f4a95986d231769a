package io.leasekit.watch;

import io.leasekit.LeaseWatch;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One watch. Its listener is called by one thread at a time, outside of the lock. Thread-safe. */
final class Watcher implements LeaseWatch {

    private static final Logger log = LoggerFactory.getLogger(Watcher.class);

    private final String key;
    private final Listener listener;
    private final Executor executor;
    private final Reads reads;
    private final Consumer<Watcher> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private long number; // of the newest state; guarded by lock, like the fields below
    private @Nullable State newest;
    private @Nullable State waiting; // to be told
    private boolean telling;
    private volatile boolean closed;

    /** Gets the outcome of each read that began after it. */
    interface Reads {

        /** Nothing is done with the outcomes. */
        Reads IGNORED = new Reads() {
            @Override
            public void succeeded(State state) {}

            @Override
            public void failed(Throwable failure) {}
        };

        /** Called with the state that a read shows, also with the same one again. */
        void succeeded(State state);

        void failed(Throwable failure);
    }

    Watcher(String key, Listener listener, Executor executor, Reads reads, Consumer<Watcher> onClose) {
        this.key = key;
        this.listener = listener;
        this.executor = executor;
        this.reads = reads;
        this.onClose = onClose;
    }

    @Override
    public String key() {
        return key;
    }

    Reads reads() {
        return reads;
    }

    /** Tells the listener of a state, unless that is older than the newest one or the same. */
    void show(long order, State state) {
        if (accepts(order, state)) {
            start();
        }
    }

    /** Returns whether the caller is to start telling. */
    private boolean accepts(long order, State state) {
        lock.lock();
        try {
            if (order < number || closed) {
                return false;
            }
            number = order;
            if (!state.equals(newest)) {
                newest = state;
                waiting = state;
            }
            boolean starts = waiting != null && !telling;
            telling |= starts;
            return starts;
        } finally {
            lock.unlock();
        }
    }

    private void start() {
        try {
            executor.execute(this::tell);
        } catch (Throwable e) {
            stop(); // the next look starts it again
            Quietly.run(() -> log.warn("Watch of lease {} could not call its listener", name(), e));
        }
    }

    private void stop() {
        lock.lock();
        try {
            telling = false;
        } finally {
            lock.unlock();
        }
    }

    private void tell() {
        State next = next();
        while (next != null) {
            call(next);
            next = next();
        }
    }

    /** Takes the waiting state; {@code null}: there is none, and this thread stops telling. */
    private @Nullable State next() {
        lock.lock();
        try {
            State next = closed ? null : waiting;
            waiting = null;
            telling = next != null;
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void call(State state) {
        try {
            listener.onState(state);
        } catch (Throwable e) {
            Quietly.run(() -> log.warn("Watch of lease {}: its listener failed for {}", name(), state, e));
        }
    }

    private String name() {
        return Text.quote(key);
    }

    @Override
    public void close() {
        closed = true;
        onClose.accept(this);
    }
}
