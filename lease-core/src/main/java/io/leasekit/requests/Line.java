package io.leasekit.requests;

import io.leasekit.requests.RequestLimiter.Kind;
import io.leasekit.requests.RequestLimiter.Place;
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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one kind that wait for permission to send (protocol 5.10, 8). Renewals are ordered by the times at
 * which their leases end; renewals whose reply would come after that time go last. Other requests are in the order of
 * their arrival. Guarded by the lock of the {@link RequestLimiter}.
 */
final class Line {

    private static final Comparator<Waiting> ORDER = (a, b) -> {
        long later = a.wanted.end - b.wanted.end; // nanos may wrap
        return later != 0 ? Long.signum(later) : Long.compare(a.number, b.number);
    };

    final Kind kind;
    long writes; // since requests began to wait
    boolean isOpen; // whether these requests wait for permission, rather than for the end of RequestLimiter.together
    private final NavigableSet<Waiting> waiting = new TreeSet<>(ORDER);
    private final Deque<Waiting> tooLate = new ArrayDeque<>(); // leases that would end before the reply
    private long count;

    /**
     * A request that waits.
     *
     * @param begin called with the place and the requests that are sent together; this request is the first
     * @param steps runs the step
     * @param step creates the request
     * @param key the key of a write that may be sent in a batch; {@code null}: the request is sent alone
     * @param end the monotonic time at which the lease of a renewal ends; 0 for other kinds
     * @param ttl the time to live of the lease of a renewal, in nanoseconds; 0 for other kinds
     */
    record Wanted(
            BiConsumer<Place, List<Wanted>> begin,
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

    /** Returns the number of waiting requests, without those that are too late. */
    int size() {
        return waiting.size();
    }

    /** Returns the first request; {@code null}: none waits, or all are too late. */
    @Nullable
    Wanted first() {
        return waiting.isEmpty() ? null : waiting.first().wanted;
    }

    /**
     * Takes the first request and others that can be sent with it, at most one of each key: if this process has two
     * leases of a key, one of them is lost or was given up.
     */
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
                return taken; // the first is sent alone
            }
        }
        return taken;
    }

    /**
     * Moves leases that would end before the reply to their renewal behind all others. If they stayed in front, every
     * renewal would be too late while the table is slow.
     */
    private void putOffTooLate(long now, long trip, RequestRules rules) {
        while (waiting.size() > StoreRequest.Batch.MAX_COMMANDS
                && rules.isTooLate(waiting.first().wanted.end - now, trip)) {
            tooLate.add(Objects.requireNonNull(waiting.pollFirst()));
        }
    }
}
