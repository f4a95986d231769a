package io.leasekit.engine;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import io.leasekit.internal.Text;
import io.leasekit.threads.Losses;
import io.leasekit.threads.Quietly;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes events to the listeners. Events of one key are delivered one at a time and in order; those of different keys
 * are independent. Losses do not wait for threads that other listeners keep busy. Exceptions of listeners are logged. A
 * key without pending events uses no memory. Thread-safe.
 */
final class Events {

    /** The limit of pending events of one key; a listener that never returns must not fill the memory. */
    static final int MAX_WAITING = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Events.class);

    private final List<LeaseListener> listeners;
    private final Executor callbacks;
    private final Losses losses;
    private final ReentrantLock lock = new ReentrantLock();

    /** The pending events by key. A key is present until a task has drained it. */
    private final Map<String, Waiting> waiting = new HashMap<>(); // guarded by lock

    private static final class Waiting {
        private final Queue<LeaseEvent> events = new ArrayDeque<>(1);
        private boolean full;
        private boolean draining;
    }

    private enum Added {
        FIRST,
        QUEUED,
        DROPPED,
        DROPPED_FIRST
    }

    Events(List<LeaseListener> listeners, Executor callbacks, Losses losses) {
        this.listeners = List.copyOf(listeners);
        this.callbacks = callbacks;
        this.losses = losses;
    }

    void publish(LeaseEvent event) {
        if (listeners.isEmpty()) {
            return;
        }
        String key = event.key();
        Added added = add(event);
        if (event instanceof LeaseEvent.Lost) {
            losses.run(() -> drain(key));
        } else if (added == Added.FIRST && !run(() -> drain(key))) {
            forget(key);
        } else if (added == Added.DROPPED_FIRST) {
            Quietly.run(() -> log.warn(
                    "Lease listeners are too slow: {} events of lease {} wait, and further ones are dropped",
                    MAX_WAITING,
                    Text.quote(key)));
        }
    }

    private boolean run(Runnable task) {
        try {
            callbacks.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            Quietly.run(() -> log.debug("Callback came after the manager's end and is dropped", e));
        } catch (RuntimeException | Error e) {
            Quietly.run(() -> log.warn(
                    "Callback executor {} failed, a callback is dropped",
                    callbacks.getClass().getName(),
                    e));
        }
        return false;
    }

    private Added add(LeaseEvent event) {
        lock.lock();
        try {
            boolean idle = !waiting.containsKey(event.key());
            Waiting key = waiting.computeIfAbsent(event.key(), k -> new Waiting());
            if (key.events.size() >= MAX_WAITING) {
                boolean warned = key.full;
                key.full = true;
                return warned ? Added.DROPPED : Added.DROPPED_FIRST;
            }
            key.events.add(event);
            return idle ? Added.FIRST : Added.QUEUED;
        } finally {
            lock.unlock();
        }
    }

    /** Delivers the pending events of the key unless another thread does so. */
    private void drain(String key) {
        if (!begin(key)) {
            return;
        }
        for (LeaseEvent event = next(key); event != null; event = next(key)) {
            for (LeaseListener listener : listeners) {
                tell(listener, event);
            }
        }
    }

    private boolean begin(String key) {
        lock.lock();
        try {
            Waiting known = waiting.get(key);
            if (known == null || known.draining) {
                return false;
            }
            known.draining = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next event of the key; {@code null}: there is none, and the next one starts a new task. */
    private @Nullable LeaseEvent next(String key) {
        lock.lock();
        try {
            Waiting known = waiting.get(key);
            LeaseEvent event = known == null ? null : known.events.poll();
            if (event == null) {
                waiting.remove(key);
            }
            return event;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the pending events after a failed start of their task, unless another thread delivers them. */
    private void forget(String key) {
        lock.lock();
        try {
            Waiting known = waiting.get(key);
            if (known != null && !known.draining) {
                waiting.remove(key);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of keys that use memory now. */
    int keys() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private static void tell(LeaseListener listener, LeaseEvent event) {
        try {
            listener.onEvent(event);
        } catch (RuntimeException | Error e) {
            Quietly.run(() -> log.warn(
                    "Lease listener {} failed on {}", listener.getClass().getName(), event, e));
        }
    }
}
