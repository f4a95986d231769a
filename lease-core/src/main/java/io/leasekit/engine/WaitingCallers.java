package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.internal.Text;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The callers that wait in the queue of a key, in order of arrival (6.1). A base class of {@link KeyQueue} rather than a
 * separate object, because there may be thousands of queues. Lives in the mailbox of the queue.
 */
abstract class WaitingCallers implements Turns {

    private final String key;
    private final int maxWaiters;
    private Set<Acquisition> waiting = Collections.emptySet(); // a separate set only while a caller waits

    WaitingCallers(String key, int maxWaiters) {
        this.key = key;
        this.maxWaiters = maxWaiters;
    }

    final String key() {
        return key;
    }

    final boolean isNobodyWaiting() {
        return waiting.isEmpty();
    }

    final void add(Acquisition acquisition) {
        if (waiting.size() >= maxWaiters) {
            acquisition.end(tooMany(key, waiting.size(), maxWaiters));
            return;
        }
        if (waiting.isEmpty()) {
            waiting = new LinkedHashSet<>(2);
        }
        waiting.add(acquisition);
        acquisition.onQueued();
    }

    /** Returns the end of a call that finds so many callers of this process waiting. */
    static AcquireCall.Result tooMany(String key, int waiting, int most) {
        return new AcquireCall.Failed(new LeaseException(
                waiting + " callers of this process already wait for lease " + Text.quote(key) + ", expected at most "
                        + most + " (maxWaitersPerKey)",
                null));
    }

    /** Returns whether the caller was waiting. */
    final boolean remove(Acquisition acquisition) {
        boolean removed = waiting.remove(acquisition);
        if (waiting.isEmpty()) {
            waiting = Collections.emptySet();
        }
        return removed;
    }

    final Acquisition removeFirst() {
        Acquisition first = waiting.iterator().next();
        remove(first);
        return first;
    }

    /** Returns whether a caller is in the queue that does not wait while another owner holds the lease. */
    final boolean hasImpatient() {
        return waiting.stream().anyMatch(other -> !other.isWaiting());
    }

    /** Refuses the callers that do not wait while another owner holds the lease, if they match. */
    final void refuseImpatient(Predicate<Acquisition> which, AcquireCall.Result refusal) {
        if (waiting.isEmpty()) {
            return;
        }
        List<Acquisition> refused = waiting.stream()
                .filter(other -> !other.isWaiting() && which.test(other))
                .toList();
        refused.forEach(this::remove);
        refused.forEach(other -> other.end(refusal));
    }
}
