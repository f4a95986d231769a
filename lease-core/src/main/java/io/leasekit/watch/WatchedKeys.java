package io.leasekit.watch;

import io.leasekit.LeaseException;
import io.leasekit.LeaseWatch;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The open watches of one manager, with one poller for each watched key. Thread-safe. */
@Internal
public final class WatchedKeys {

    private final Looks looks;
    private final KeyPoller.Terms terms;
    private final Executor executor;
    private final Map<String, KeyPoller> pollers = new ConcurrentHashMap<>();
    private final Set<Watcher> open = ConcurrentHashMap.newKeySet();
    private final Set<FreeWait> waits = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Watches nothing yet.
     *
     * @param ttl how long a state is shown without a look that succeeds
     * @param random the source of jitter after failures
     * @param executor calls the listeners
     */
    public WatchedKeys(
            Looks looks, WatchOrder order, EngineTime time, Duration ttl, RandomGenerator random, Executor executor) {
        this.looks = looks;
        this.terms = new KeyPoller.Terms(order, time, ttl.toNanos(), random);
        this.executor = executor;
    }

    /**
     * Begins a watch.
     *
     * @throws IllegalArgumentException if the key is not that of a lease, or if there is no listener
     * @throws LeaseException if the watches are closed
     */
    public LeaseWatch watch(String key, LeaseWatch.@Nullable Listener listener) {
        Checks.leaseKey(key);
        if (listener == null) {
            throw new IllegalArgumentException(
                    "Listener is null for a watch of lease key " + Text.quote(key) + ", expected one to call");
        }
        return begin(key, listener, executor, Watcher.Reads.IGNORED);
    }

    /**
     * Waits until the key is free, or for the timeout.
     *
     * @param patienceNanos how long the first look may take, whatever the timeout
     * @param await waits on the calling thread for a result with this description
     * @return whether the key was seen free
     * @throws IllegalArgumentException if the key is not that of a lease, or if the timeout is negative
     * @throws LeaseException if the watches are closed, also during the wait
     */
    public boolean awaitFree(
            String key,
            Duration timeout,
            long patienceNanos,
            BiFunction<CompletableFuture<Boolean>, String, Boolean> await) {
        CompletableFuture<Boolean> free = whenFree(key, timeout, patienceNanos);
        try {
            return await.apply(free, "a free lease " + Text.quote(key));
        } finally {
            free.cancel(false);
        }
    }

    /**
     * Returns a future that completes with {@code true} when the key is free, or with {@code false} after the timeout.
     * Completing it early ends the wait.
     */
    private CompletableFuture<Boolean> whenFree(String key, Duration timeout, long patienceNanos) {
        Checks.leaseKey(key);
        Checks.notNegative(timeout, "timeout", key);
        FreeWait wait = new FreeWait(key);
        CompletableFuture<Boolean> free = wait.result();
        LeaseWatch watch = begin(key, state -> {}, Runnable::run, wait);
        wait.begin(terms.time(), shorter(timeout, Checks.MAX_DURATION).toNanos(), patienceNanos);
        waits.add(wait);
        var unused = free.whenComplete((result, failure) -> {
            waits.remove(wait);
            watch.close();
        });
        if (closed) {
            free.completeExceptionally(closed(key));
        }
        return free;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private LeaseWatch begin(String key, LeaseWatch.Listener listener, Executor by, Watcher.Reads reads) {
        Watcher watcher = new Watcher(key, listener, by, reads, this::end);
        open.add(watcher);
        KeyPoller poller = pollers.compute(key, (same, known) -> {
            KeyPoller used = known == null ? new KeyPoller(key, looks.of(key), terms) : known;
            used.add(watcher);
            return used;
        });
        if (closed) {
            watcher.close();
            throw closed(key);
        }
        poller.lookFor(watcher);
        return watcher;
    }

    private void end(Watcher watcher) {
        open.remove(watcher);
        pollers.computeIfPresent(watcher.key(), (key, poller) -> poller.remove(watcher) ? null : poller);
    }

    /**
     * Closes all watches without waiting. Callers that wait for a key get an exception; further watches are refused.
     */
    public void close() {
        closed = true;
        open.forEach(LeaseWatch::close);
        waits.forEach(wait -> wait.result().completeExceptionally(closed()));
    }

    private static LeaseException closed(String key) {
        return new LeaseException("Lease manager is closed, so it does not watch " + Text.quote(key), null);
    }

    private static LeaseException closed() {
        return new LeaseException("Lease manager was closed while a key was waited for", null);
    }
}
