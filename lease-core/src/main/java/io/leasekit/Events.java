package io.leasekit;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands events to the listeners, one after the other, on the callback executor; what a listener throws is logged. */
final class Events {

    private static final Logger log = LoggerFactory.getLogger(Events.class);

    private final List<LeaseListener> listeners;
    private final Executor callbacks;
    private final Queue<LeaseEvent> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();

    Events(List<LeaseListener> listeners, Executor callbacks) {
        this.listeners = listeners;
        this.callbacks = callbacks;
    }

    void publish(LeaseEvent event) {
        if (listeners.isEmpty()) {
            return;
        }
        queue.add(event);
        if (pending.getAndIncrement() == 0) {
            runOnCallbacks(this::drain);
        }
    }

    /** Runs users' code where it can neither stop a heartbeat nor an answer of the store. */
    void runOnCallbacks(Runnable task) {
        try {
            callbacks.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("Callback came after the manager's end and is dropped", e);
        }
    }

    private void drain() {
        do {
            LeaseEvent event = queue.remove();
            listeners.forEach(listener -> tell(listener, event));
        } while (pending.decrementAndGet() != 0);
    }

    private static void tell(LeaseListener listener, LeaseEvent event) {
        try {
            listener.onEvent(event);
        } catch (RuntimeException | Error e) {
            log.warn("Lease listener {} failed on {}", listener.getClass().getName(), event, e);
        }
    }
}
