package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseWatch;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The open watches of one manager, with one poller for each watched key. Thread-safe. */
final class WatchedKeys {

    private final EngineParts parts;
    private final Executor executor;
    private final Map<String, KeyPoller> pollers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** Watches nothing yet; {@code executor}: calls the listeners. */
    WatchedKeys(EngineParts parts, Executor executor) {
        this.parts = parts;
        this.executor = executor;
    }

    /**
     * Begins a watch.
     *
     * @throws IllegalArgumentException if the key is not that of a lease, or if there is no listener
     * @throws LeaseException if the watches are closed
     */
    LeaseWatch watch(String key, LeaseWatch.@Nullable Listener listener) {
        Checks.leaseKey(key);
        if (listener == null) {
            throw new IllegalArgumentException(
                    "Listener is null for a watch of lease key " + Text.quote(key) + ", expected one to call");
        }
        ListeningWatch watch = new ListeningWatch(key, listener, executor, watcher -> end(key, watcher));
        begin(key, watch);
        return watch;
    }

    /**
     * Waits until the key is free, or for the timeout.
     *
     * @return whether the key was seen free
     * @throws IllegalArgumentException if the key is not that of a lease, or if the timeout is negative
     * @throws LeaseException if the watches are closed, also during the wait
     */
    boolean awaitFree(String key, Duration timeout) {
        Checks.leaseKey(key);
        Checks.notNegative(timeout, "timeout", key);
        FreeWait wait = new FreeWait();
        begin(key, wait);
        Duration longest = timeout.compareTo(Checks.MAX_DURATION) < 0 ? timeout : Checks.MAX_DURATION;
        wait.begin(key, parts.time, longest.toNanos(), parts.storeTimeout);
        try {
            return parts.delivery.await(wait.result, "a free lease " + Text.quote(key));
        } finally {
            wait.result.cancel(false);
            end(key, wait);
        }
    }

    private void begin(String key, Watcher watcher) {
        KeyPoller poller = pollers.compute(key, (same, known) -> {
            KeyPoller used = known == null ? new KeyPoller(key, parts) : known;
            used.watchers().add(watcher);
            return used;
        });
        if (closed) {
            end(key, watcher);
            throw new LeaseException("Lease manager is closed, so it does not watch " + Text.quote(key), null);
        }
        poller.lookFor(watcher);
    }

    private void end(String key, Watcher watcher) {
        pollers.computeIfPresent(key, (same, poller) -> {
            boolean wasLast =
                    poller.watchers().remove(watcher) && poller.watchers().isEmpty();
            if (wasLast) {
                poller.end();
            }
            return wasLast ? null : poller;
        });
    }

    /**
     * Closes all watches without waiting. Callers that wait for a key get an exception; further watches are refused.
     */
    void close() {
        closed = true;
        pollers.values().forEach(poller -> poller.watchers().forEach(Watcher::onClose));
    }
}
