package io.leasekit.engine;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import io.leasekit.threads.Losses;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes events to listeners, and logs exceptions of the listeners. Events of one key are delivered one at a time and
 * in order. Events of different keys can be delivered at the same time. Lost leases are reported on separate threads,
 * so a blocked listener does not delay the report of another key's loss. A key uses memory only while it has pending
 * events. Thread-safe.
 */
final class Events {

    /**
     * The maximum number of pending events of one key. Without this limit, a listener that never returns would fill the
     * memory.
     */
    public static final int MAX_WAITING = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Events.class);

    private final List<LeaseListener> listeners;
    private final Executor callbacks;
    private final Losses losses;

    /**
     * The pending events by key, changed only by atomic methods of the map. A key is removed after a task has delivered
     * all its pending events.
     */
    private final ConcurrentMap<String, Waiting> waiting = new ConcurrentHashMap<>();

    private static final class Waiting {
        private final Queue<LeaseEvent> events = new ArrayDeque<>(1);
        private boolean full;
        private boolean draining;

        private Added add(LeaseEvent event, boolean first) {
            if (events.size() >= MAX_WAITING) {
                boolean warned = full;
                full = true;
                return warned ? Added.DROPPED : Added.DROPPED_FIRST;
            }
            events.add(event);
            return first ? Added.FIRST : Added.QUEUED;
        }

        /**
         * Returns whether the report of a lost lease is pending. The task for a lost lease also delivers all earlier
         * events of its key.
         */
        private boolean hasLoss() {
            return events.stream().anyMatch(event -> event instanceof LeaseEvent.Lost);
        }
    }

    private enum Added {
        FIRST,
        QUEUED,
        DROPPED,
        DROPPED_FIRST
    }

    public Events(List<LeaseListener> listeners, Executor callbacks, Losses losses) {
        this.listeners = List.copyOf(listeners);
        this.callbacks = callbacks;
        this.losses = losses;
    }

    public void publish(LeaseEvent event) {
        if (listeners.isEmpty()) {
            return;
        }
        String key = event.key();
        Added added = add(event);
        if (added == Added.DROPPED_FIRST) {
            Quietly.run(() -> log.warn(
                    "Lease listeners are too slow: {} events of lease {} are waiting, further ones are dropped",
                    MAX_WAITING,
                    Text.quote(key)));
        }
        if (event instanceof LeaseEvent.Lost) {
            losses.run(() -> drain(key));
        } else if (added == Added.FIRST && !run(() -> drain(key))) {
            forget(key);
        }
    }

    private boolean run(Runnable task) {
        try {
            callbacks.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            Quietly.run(() -> log.debug("Callback came after the manager's end and is dropped", e));
        } catch (Throwable e) {
            Quietly.run(() -> log.warn(
                    "Callback executor {} failed; one callback is dropped",
                    callbacks.getClass().getName(),
                    e));
        }
        return false;
    }

    private Added add(LeaseEvent event) {
        Added[] added = {Added.QUEUED};
        waiting.compute(event.key(), (key, known) -> {
            Waiting events = known == null ? new Waiting() : known;
            added[0] = events.add(event, known == null);
            return events;
        });
        return added[0];
    }

    /** Delivers the pending events of the key, unless another thread is already delivering these events. */
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
        boolean[] begun = {false};
        waiting.computeIfPresent(key, (k, events) -> {
            begun[0] = !events.draining;
            events.draining = true;
            return events;
        });
        return begun[0];
    }

    /**
     * Returns the next pending event of the key. If no event is pending, returns {@code null} and removes the key from
     * the map, so that a later event starts a new task.
     */
    private @Nullable LeaseEvent next(String key) {
        @Nullable LeaseEvent[] next = {null};
        waiting.computeIfPresent(key, (k, events) -> {
            next[0] = events.events.poll();
            return next[0] == null ? null : events;
        });
        return next[0];
    }

    /**
     * Drops the pending events of the key after the executor has rejected their task, unless another task delivers
     * them.
     */
    private void forget(String key) {
        waiting.computeIfPresent(key, (k, events) -> events.draining || events.hasLoss() ? events : null);
    }

    public int keys() {
        return waiting.size();
    }

    private static void tell(LeaseListener listener, LeaseEvent event) {
        try {
            listener.onEvent(event);
        } catch (Throwable e) {
            Quietly.run(() -> log.warn(
                    "Lease listener {} failed on {}", listener.getClass().getName(), event, e));
        }
    }
}
