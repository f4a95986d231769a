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
 * The queue of the requests of one kind, such as renewals, that wait for permission to send (protocol 5.10, 8).
 * Renewals are ordered by the ends of their leases, but a renewal whose reply would arrive after the end of its lease
 * goes to the back. Requests of other kinds are in the order of their arrival. Callers hold the lock of the {@link
 * RequestLimiter}.
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
     * @param begin called when this request may be sent, with the permission and with all requests that are sent
     *     together; this request is the first of them
     * @param steps runs {@code step}, for example in a mailbox
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

    /**
     * Returns the number of waiting requests, without renewals whose reply would arrive after the end of their lease.
     */
    int size() {
        return waiting.size();
    }

    /**
     * Returns the first waiting request, or {@code null} if there is none. Ignores renewals whose reply would arrive
     * after the end of their lease.
     */
    @Nullable
    Wanted first() {
        return waiting.isEmpty() ? null : waiting.first().wanted;
    }

    /**
     * Removes and returns the first request and, if it can be sent in a batch, further requests of the batch. A batch
     * contains at most one request for each key; if this process has two leases of a key, one of them is already lost
     * or given up.
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
     * Moves a renewal to the back if its reply would arrive after the end of its lease. At the front, such renewals
     * would delay all others until these are too late, too.
     */
    private void putOffTooLate(long now, long trip, RequestRules rules) {
        while (waiting.size() > StoreRequest.Batch.MAX_COMMANDS
                && rules.isTooLate(waiting.first().wanted.end - now, trip)) {
            tooLate.add(Objects.requireNonNull(waiting.pollFirst()));
        }
    }
}
