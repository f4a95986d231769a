package io.leasekit.watch;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.LeaseWatch.Unknown;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.Backoff;
import io.leasekit.time.EngineTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one key for all its watchers, one look at a time, and decides what they are shown. Its steps run in a mailbox.
 * Thread-safe.
 */
final class KeyPoller {

    private static final long FIRST_BACKOFF = 50 * EngineTime.MILLI;
    private static final long LAST_BACKOFF = EngineTime.SECOND;

    private final String key;
    private final Looks.Series series;
    private final Terms terms;
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>(); // changed by WatchedKeys; none: it has ended
    private final Mailbox steps = new Mailbox(error -> {});
    // touched in steps, like the fields below
    private boolean looking;
    private boolean again; // a watcher came during a look
    private int failures;
    private long seenAt; // the last look that succeeded, or the first watch
    private boolean blind;
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

    KeyPoller(String key, Looks.Series series, Terms terms) {
        this.key = key;
        this.series = series;
        this.terms = terms;
        steps.execute(this::onSight);
    }

    List<Watcher> watchers() {
        return watchers;
    }

    /** Looks for a watcher that was added. */
    void lookFor(Watcher watcher) {
        steps.execute(() -> {
            if (blind) {
                watcher.onState(new Unknown(key), true);
            }
            look();
        });
    }

    void end() {
        steps.execute(() -> {
            cancel(nextLook);
            cancel(blindness);
        });
    }

    private static void cancel(EngineTime.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    // ---- looks

    private void look() {
        again = looking;
        if (looking || watchers.isEmpty()) {
            return;
        }
        cancel(nextLook);
        looking = true;
        List<Watcher> since = List.copyOf(watchers);
        var unused = ask().whenComplete((seen, failure) -> steps.execute(() -> onAnswer(since, seen, failure)));
    }

    private CompletableFuture<Looks.Seen> ask() {
        try {
            return series.look();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void onAnswer(List<Watcher> since, Looks.@Nullable Seen seen, @Nullable Throwable failure) {
        looking = false;
        if (watchers.isEmpty()) {
            return;
        }
        failures = seen == null ? failures + 1 : 0;
        long delay =
                seen == null ? Backoff.nanos(failures, FIRST_BACKOFF, LAST_BACKOFF, terms.random) : seen.delayNanos();
        nextLook = terms.time.schedule(again ? 0 : delay, () -> steps.execute(this::look));
        again = false;
        if (seen != null) {
            onSight();
            State state = shown(seen);
            since.forEach(watcher -> watcher.onState(state, false));
        } else if (failure != null) {
            since.forEach(watcher -> watcher.onFailure(failure));
        }
    }

    private void onSight() {
        seenAt = terms.time.nanos();
        blind = false;
        cancel(blindness);
        blindness = terms.time.schedule(terms.ttlNanos, () -> steps.execute(this::onBlindness));
    }

    private void onBlindness() {
        if (terms.time.nanos() - seenAt - terms.ttlNanos >= 0) {
            blind = true;
            watchers.forEach(watcher -> watcher.onState(new Unknown(key), true));
        }
    }

    // ---- states

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
}
