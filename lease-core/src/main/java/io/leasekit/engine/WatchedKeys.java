package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseWatch;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The open watches of one manager, with one poller for each watched key. Thread-safe. */
final class WatchedKeys {

    private final EngineParts parts;
    private final FeatureRules rules;
    private final Executor executor;
    private final Map<String, KeyPoller> pollers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    WatchedKeys(EngineParts parts, FeatureRules rules, Executor executor) {
        this.parts = parts;
        this.rules = rules;
        this.executor = executor;
    }

    LeaseWatch watch(String key, LeaseWatch.@Nullable Listener listener) {
        Checks.leaseKey(key);
        if (listener == null) {
            throw new IllegalArgumentException(
                    "Listener is null for a watch of lease key " + Text.quote(key) + ", expected one to call");
        }
        ListeningWatch watch = new ListeningWatch(key, listener, executor, this::end);
        begin(watch);
        return watch;
    }

    /**
     * Waits for at least one read that begins after this call, even if the timeout is zero.
     *
     * @throws LeaseStoreException if no read succeeded within the timeout or the store timeout, whichever is longer
     */
    boolean awaitFree(String key, Duration timeout) {
        Checks.leaseKey(key);
        Checks.notNegative(timeout, "timeout", key);
        CompletableFuture<Boolean> free = new CompletableFuture<>();
        ListeningWatch watch = new ListeningWatch(
                key,
                state -> {
                    if (state.isFree()) {
                        free.complete(true);
                    }
                },
                Runnable::run,
                ended -> {
                    end(ended);
                    free.completeExceptionally(
                            new LeaseException("Lease manager was closed while a key was waited for", null));
                });
        KeyPoller poller = begin(watch);
        long nanos = LeaseSpec.nanos(timeout);
        long longest = Math.max(nanos, parts.storeTimeout);
        EngineTime.Timer end = parts.time.schedule(nanos, () -> {
            var unused = watch.read.thenRun(() -> free.complete(false));
        });
        EngineTime.Timer blind = parts.time.schedule(
                longest, () -> free.completeExceptionally(poller.unread(Duration.ofNanos(longest))));
        try {
            return parts.delivery.await(free, "a free lease " + Text.quote(key));
        } finally {
            end.cancel();
            blind.cancel();
            watch.close();
        }
    }

    private KeyPoller begin(ListeningWatch watch) {
        KeyPoller poller = pollers.compute(watch.key(), (key, known) -> {
            KeyPoller used = known == null ? new KeyPoller(key, parts, rules) : known;
            used.watches().add(watch);
            return used;
        });
        if (closed) {
            end(watch);
            throw new LeaseException("Lease manager is closed, so it does not watch " + Text.quote(watch.key()), null);
        }
        poller.lookFor(watch);
        return poller;
    }

    private void end(ListeningWatch watch) {
        pollers.computeIfPresent(watch.key(), (key, poller) -> {
            boolean wasLast = poller.watches().remove(watch) && poller.watches().isEmpty();
            if (wasLast) {
                poller.end();
            }
            return wasLast ? null : poller;
        });
    }

    void close() {
        closed = true;
        pollers.values().forEach(poller -> poller.watches().forEach(ListeningWatch::close));
    }
}
