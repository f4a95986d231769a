package io.leasekit.requests;

import io.leasekit.requests.RequestLimiter.Kind;
import io.leasekit.requests.Requests.Outgoing;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of requests of one kind, such as renewals, that wait for permission to be sent (protocol 5.10, 8). Callers
 * must hold the lock of the {@link RequestLimiter}.
 */
final class Line {

    private static final Comparator<Waiting> ORDER = (a, b) -> {
        long later = a.wanted.end - b.wanted.end; // the difference stays correct if the monotonic time wraps
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    final Kind kind;
    long writes; // among the kinds that wait, RequestLimiter chooses the kind with the fewest writes
    // Whether requests of this kind wait for permission, except renewals that together() still collects.
    boolean isOpen;
    private final NavigableSet<Waiting> waiting = new TreeSet<>(ORDER);
    // Renewals whose lease would end before the reply arrives.
    private final Deque<Waiting> tooLate = new ArrayDeque<>();
    private long count;

    /**
     * A request that waits for permission to be sent.
     *
     * @param key the key of a write that may be sent in a batch; {@code null}: the request is sent alone
     * @param end the monotonic time at which the lease to renew ends; 0 if the request is not a renewal
     * @param ttl the time to live of the lease to renew, in nanoseconds; 0 if the request is not a renewal
     */
    record Wanted(
            Executor steps,
            Consumer<Outgoing> step,
            @Nullable String key,
            long end,
            long ttl) {}

    private record Waiting(Wanted wanted, long number) {}

    Line(Kind kind) {
        this.kind = kind;
    }

    boolean add(Wanted wanted) {
        return waiting.add(new Waiting(wanted, count++));
    }

    boolean isEmpty() {
        return waiting.isEmpty() && tooLate.isEmpty();
    }

    /** Does not count renewals whose replies would arrive after the end of their lease. */
    int size() {
        return waiting.size();
    }

    @Nullable
    Wanted first() {
        return waiting.isEmpty() ? null : waiting.first().wanted;
    }

    /** A batch contains at most one request for each key. */
    List<Wanted> take(int most, EngineTime time, long trip, RequestRules rules) {
        if (kind == Kind.RENEWAL) {
            putOffTooLate(time.nanos(), trip, rules);
        }
        Collection<Waiting> line = waiting.isEmpty() ? tooLate : waiting;
        List<Wanted> taken = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        Iterator<Waiting> all = line.iterator();
        while (all.hasNext() && taken.size() < most) {
            Wanted next = all.next().wanted;
            boolean joins = next.key != null && keys.add(next.key);
            if (taken.isEmpty() || joins) {
                taken.add(next);
                all.remove();
            }
            if (keys.isEmpty()) {
                return taken; // a request without a key is sent alone
            }
        }
        return taken;
    }

    /** Renewals that would be too late go to the back, so that they do not delay the other renewals. */
    private void putOffTooLate(long now, long trip, RequestRules rules) {
        while (waiting.size() > StoreRequest.Batch.MAX_COMMANDS
                && rules.isTooLate(waiting.first().wanted.end - now, trip)) {
            tooLate.add(Objects.requireNonNull(waiting.pollFirst()));
        }
    }
}
