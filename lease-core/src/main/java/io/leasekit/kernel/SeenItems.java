package io.leasekit.kernel;

import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.Refusal;
import io.leasekit.tenure.Tenure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stores the items of one acquire as the last replies have shown them. {@link AcquireLoop} extends this class, instead
 * of having a field for it, to save memory when thousands of acquires wait. Only steps in the mailbox of the acquire
 * call the methods.
 */
@Internal
public abstract class SeenItems {

    final LeaseSpec spec;
    final Tenure tenure;
    final EngineParts parts;

    // Thousands of acquires may wait, so small immutable lists are used to save memory.
    private List<Observation> shown = List.of();
    // The leases that had ended when their items were read; used only for several keys.
    private List<LeaseItem> shownOver = List.of();

    SeenItems(LeaseSpec spec, Tenure tenure, EngineParts parts) {
        this.spec = spec;
        this.tenure = tenure;
        this.parts = parts;
    }

    // ---- observations (4.3)

    final void show(Observation seen) {
        shown = List.of(seen);
    }

    final void show(String key, @Nullable LeaseItem item, Reply reply) {
        Observation before = observationOf(key);
        List<Observation> next = new ArrayList<>(shown);
        next.remove(before);
        if (item != null) {
            next.add(parts.observer.observe(before, item, reply));
        }
        shown = List.copyOf(next);
        if (spec.isGroup()) {
            List<LeaseItem> over = new ArrayList<>(shownOver);
            over.removeIf(one -> one.key().equals(key));
            if (item != null && item.version() != null && parts.observer.mayBeTaken(observationOf(key), reply.at())) {
                over.add(item);
            }
            shownOver = List.copyOf(over);
        }
    }

    final List<LeaseItem> shown() {
        return shown.stream().map(Observation::item).toList();
    }

    final @Nullable LeaseItem shown(String key) {
        Observation last = observationOf(key);
        return last == null ? null : last.item();
    }

    final @Nullable Observation observationOf(String key) {
        return shown.stream()
                .filter(one -> one.item().key().equals(key))
                .findFirst()
                .orElse(null);
    }

    final boolean mayBeTaken(String key, long now) {
        Observation last = observationOf(key);
        return (last != null && isOwn(last.item().version())) || parts.observer.mayBeTaken(last, now);
    }

    // ---- writes of this acquire (protocol 5.5)

    final boolean isOwn(@Nullable String version) {
        return parts.rules.numberOf(tenure, version) != 0;
    }

    /** A refusal may show a write of this acquire, for example a copy that the network delivered late. */
    final boolean isAnyOwn(List<Refusal> refusals) {
        return refusals.stream().anyMatch(refusal -> isOwn(refusal.version()));
    }

    final @Nullable LeaseItem itemOf(int number, List<Refusal> refusals) {
        return refusals.stream()
                .filter(refusal -> parts.rules.numberOf(tenure, refusal.version()) == number)
                .map(Refusal::item)
                .findFirst()
                .orElse(null);
    }

    // ---- leases taken over

    /**
     * Records the lease that the attempt may have overwritten. After a failure, this is the lease from an earlier
     * reply.
     */
    final void noteTakenOver(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Applied applied) {
            parts.records.saw(tenure, applied.before());
            LeaseItem held = applied.heldBefore();
            // If the item showed an own version, an earlier attempt has already taken over the lease.
            if (held == null || !isOwn(held.version())) {
                tenure.tookOver(held != null && isOfAnotherHolder(held) ? held : null);
            }
        } else if (reply.outcome() instanceof StoreReply.Failed) {
            Observation last = observationOf(spec.item());
            if (last != null && isOfAnotherHolder(last.item()) && parts.observer.mayBeTaken(last, reply.at())) {
                tenure.tookOver(last.item());
            }
        }
    }

    final void reportTakenOver(StoreReply.Applied applied, long token) {
        LeaseItem before = applied.heldBefore();
        List<LeaseItem> over = before == null ? leasesTakenOver() : List.of(before);
        if (over.isEmpty()) {
            return; // nearly always
        }
        over.stream()
                .filter(this::isOfAnotherHolder)
                .filter(item -> !Checks.isRunItem(item.key()))
                .collect(Collectors.groupingBy(SeenItems::leaseOf, LinkedHashMap::new, Collectors.toList()))
                .values()
                .forEach(ofOne -> parts.reports.tookOver(spec, ofOne, parts.records.application(ofOne.get(0)), token));
    }

    /** Includes all seen items of a lease if one of them was read after the lease had ended. */
    private List<LeaseItem> leasesTakenOver() {
        if (shownOver.isEmpty()) {
            return List.of(); // nearly always
        }
        return shown().stream()
                .filter(item -> shownOver.stream().anyMatch(one -> leaseOf(one).equals(leaseOf(item))))
                .sorted(Comparator.comparing(LeaseItem::key))
                .toList();
    }

    private static List<?> leaseOf(LeaseItem item) {
        return Arrays.asList(item.owner(), item.token());
    }

    private boolean isOfAnotherHolder(LeaseItem item) {
        // An item with a version and a release time shows a hold, which has no holder.
        return Tenure.isOfAHolder(item.version())
                && item.releasedAtMillis() == null
                && !isOwn(item.version())
                && !parts.observer.isEnded(String.valueOf(item.version()));
    }
}
