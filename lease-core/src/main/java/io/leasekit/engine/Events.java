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
 * Passes events to listeners. Each listener gets the events of one key one at a time and in order. Separate threads
 * report lost leases, so a blocked listener does not delay the report of another key's loss. Thread-safe.
 */
final class Events {

    /** Without this limit, a listener that never returns would fill the memory. */
    public static final int MAX_WAITING = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Events.class);

    private final List<LeaseListener> listeners;
    private final Executor callbacks;
    private final Losses losses;

    /** Only atomic methods of the map change a value, because the values are not thread-safe. */
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

        /** The task for a lost lease also delivers all earlier events of the key. */
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

    /** Removes a key without pending events, so that a later event starts a new task. */
    private @Nullable LeaseEvent next(String key) {
        @Nullable LeaseEvent[] next = {null};
        waiting.computeIfPresent(key, (k, events) -> {
            next[0] = events.events.poll();
            return next[0] == null ? null : events;
        });
        return next[0];
    }

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
