package io.leasekit.watch;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.LeaseWatch.Unknown;
import io.leasekit.time.Backoff;
import io.leasekit.time.EngineTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one key for all its watchers, one look at a time, and decides what they are shown. No lock is held while a
 * request is sent or a watcher is told. Thread-safe.
 */
final class KeyPoller {

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LAST_BACKOFF = TimeUnit.SECONDS.toNanos(1);

    private final String key;
    private final Looks.Series series;
    private final Terms terms;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Watcher, Long> watchers = new LinkedHashMap<>(); // with the looks before; guarded by lock
    // guarded by lock, like the fields below
    private long looks; // the number of those that have begun
    private boolean looking;
    private boolean again; // a watcher came during a look
    private int failures;
    private long seenAt; // the last look that succeeded, or the first watch
    private boolean blind;
    private boolean ended;
    private long shows;
    private @Nullable State last; // the last known state that was shown
    private EngineTime.@Nullable Timer nextLook;
    private EngineTime.@Nullable Timer blindness;

    /**
     * The parts that all pollers of a manager share.
     *
     * @param ttlNanos how long a state is shown without a look that succeeds
     * @param random the source of jitter after failures
     */
    record Terms(WatchOrder order, EngineTime time, long ttlNanos, RandomGenerator random) {}

    /** A state for these watchers. */
    private record Showing(long number, State state, List<Watcher> watchers) {
        void show() {
            watchers.forEach(watcher -> watcher.show(number, state));
        }
    }

    KeyPoller(String key, Looks.Series series, Terms terms) {
        this.key = key;
        this.series = series;
        this.terms = terms;
        this.seenAt = terms.time.nanos();
    }

    // ---- watchers

    void add(Watcher watcher) {
        lock.lock();
        try {
            watchers.put(watcher, looks);
            if (blindness == null) {
                blindness = terms.time.schedule(terms.ttlNanos, this::checkBlindness);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes a watcher. Returns whether it was the last one, after which this poller has ended. */
    boolean remove(Watcher watcher) {
        lock.lock();
        try {
            watchers.remove(watcher);
            ended |= watchers.isEmpty();
            if (ended) {
                cancel(nextLook);
                cancel(blindness);
            }
            return ended;
        } finally {
            lock.unlock();
        }
    }

    private static void cancel(EngineTime.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Looks for a watcher that was added. */
    void lookFor(Watcher watcher) {
        Showing unknown = locked(() -> blind ? showing(new Unknown(key), List.of(watcher)) : null);
        if (unknown != null) {
            unknown.show();
        }
        look();
    }

    // ---- looks

    private void look() {
        Long number = locked(this::beginLook);
        if (number != null) {
            long begun = number;
            var unused =
                    ask().whenComplete((found, failure) -> answered(begun, failure == null ? found : null, failure));
        }
    }

    /** Returns the number of the look; {@code null}: none begins. */
    private @Nullable Long beginLook() {
        again = looking;
        if (ended || looking) {
            return null;
        }
        cancel(nextLook);
        looking = true;
        return ++looks;
    }

    private CompletableFuture<Looks.Seen> ask() {
        try {
            return series.look();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answered(long number, Looks.@Nullable Seen seen, @Nullable Throwable failure) {
        Runnable report = locked(() -> onAnswer(number, seen, failure));
        if (report != null) {
            report.run();
        }
    }

    /** Returns what to do without the lock; {@code null}: nothing, because this poller has ended. */
    private @Nullable Runnable onAnswer(long number, Looks.@Nullable Seen seen, @Nullable Throwable failure) {
        looking = false;
        if (ended) {
            return null;
        }
        failures = seen == null ? failures + 1 : 0;
        long delay =
                seen == null ? Backoff.nanos(failures, FIRST_BACKOFF, LAST_BACKOFF, terms.random) : seen.delayNanos();
        nextLook = terms.time.schedule(again ? 0 : delay, this::look);
        again = false;
        List<Watcher> since = since(number);
        if (seen == null) {
            return failure == null
                    ? null
                    : () -> since.forEach(watcher -> watcher.reads().failed(failure));
        }
        onSeen();
        Showing showing = showing(shown(seen), since);
        return () -> {
            since.forEach(watcher -> watcher.reads().succeeded(showing.state));
            showing.show();
        };
    }

    /** Returns the watchers that were there before this look. */
    private List<Watcher> since(long number) {
        return watchers.entrySet().stream()
                .filter(watcher -> watcher.getValue() < number)
                .map(Map.Entry::getKey)
                .toList();
    }

    private void onSeen() {
        seenAt = terms.time.nanos();
        if (blind) {
            blind = false;
            blindness = terms.time.schedule(terms.ttlNanos, this::checkBlindness);
        }
    }

    private void checkBlindness() {
        Showing unknown = locked(this::onBlindness);
        if (unknown != null) {
            unknown.show();
        }
    }

    private @Nullable Showing onBlindness() {
        long rest = terms.ttlNanos - (terms.time.nanos() - seenAt);
        blind = !ended && rest <= 0;
        if (!ended && !blind) {
            blindness = terms.time.schedule(rest, this::checkBlindness);
        }
        return blind ? showing(new Unknown(key), List.copyOf(watchers.keySet())) : null;
    }

    // ---- states

    private Showing showing(State state, List<Watcher> to) {
        return new Showing(++shows, state, to);
    }

    /** Returns the state to show. It never goes back, so what contradicts the order is not shown. */
    private State shown(Looks.Seen seen) {
        State state = state(seen);
        State before = last;
        if (before == null || terms.order.mayFollow(before, state)) {
            last = state;
            return state;
        }
        boolean staysKept = before instanceof Kept && WatchOrder.token(before) == WatchOrder.token(state);
        return staysKept ? before : new Unknown(key); // a release at the end of a short hold is under way
    }

    private State state(Looks.Seen seen) {
        LeaseInfo lease = seen.lease();
        long known = last == null ? 0 : WatchOrder.token(last);
        long token = lease == null || lease.fencingToken() == 0 ? known : lease.fencingToken();
        if (lease == null || !lease.held() || seen.isOver()) {
            return new Free(key, token);
        }
        return lease.isKept() ? new Kept(key, lease.owner(), token) : new Held(key, lease.owner(), token);
    }

    /** A step under the lock. */
    private interface Step<T> {
        @Nullable
        T run();
    }

    private <T> @Nullable T locked(Step<T> step) {
        lock.lock();
        try {
            return step.run();
        } finally {
            lock.unlock();
        }
    }
}
