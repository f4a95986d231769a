package io.leasekit.engine;

import io.leasekit.LeaseInfo;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.observe.Contention;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one key according to the last read, and the pace at which permits change owners (protocol 6.6). Used
 * only in the mailbox of the {@link PermitQueue}.
 */
final class PermitsSeen {

    private final String key;
    private final Permits shared;
    private final EngineParts parts;

    Map<Integer, Held> held = Map.of();

    /**
     * The permits that may be free, by number, in an order that differs between processes. Each value shows the ended
     * lease that an acquire may overwrite; {@code null} if the item shows no lease.
     */
    Map<Integer, @Nullable Observation> free = Map.of();

    private long readAt;
    // The observer's statistics about the key; until the first contention, separate statistics.
    private Contention contention;
    private boolean sawOthers;
    // The monotonic time at which others' permits last changed or this process last released a permit.
    private long movedAt;

    /** The number of a permit that another process passes between its own callers; {@code null} if there is none. */
    @Nullable
    Integer toMark;

    /** {@code since}: the monotonic time at which a read first showed the present holder. */
    record Held(Observation lease, boolean isOther, long since) {}

    PermitsSeen(String key, Permits shared) {
        this.key = key;
        this.shared = shared;
        this.parts = shared.parts;
        this.movedAt = parts.clock.now();
        this.readAt = movedAt;
        Contention known = parts.observer.contention(key);
        this.contention = known == null ? new Contention(movedAt) : known;
    }

    @Nullable
    LeaseInfo holder() {
        return held.values().stream()
                .filter(Held::isOther)
                .map(one -> one.lease.item())
                .min(Comparator.comparing(LeaseItem::key))
                .map(item -> parts.records.info(item, parts.clock.now()))
                .orElse(null);
    }

    // ---- events

    /** {@code isOwn}: whether an item shows that this process itself requests, holds or releases the permit. */
    void saw(StoreReply.FoundEach found, int permits, Requests.Reply reply, Predicate<LeaseItem> isOwn) {
        Map<String, LeaseItem> items = found.items().stream().collect(Collectors.toMap(LeaseItem::key, item -> item));
        contention.requestEnded(reply.at() - reply.sent());
        toMark = null;
        Map<Integer, Held> nextHeld = new HashMap<>();
        Map<Integer, @Nullable Observation> nextFree = new LinkedHashMap<>();
        for (int number : inOrder(permits)) {
            LeaseItem item = items.get(LeaseSpec.slotKey(key, number));
            Held before = held.get(number);
            Observation known = before == null ? free.get(number) : before.lease;
            Observation now = item == null ? null : parts.observer.observe(known, item, reply);
            if (item != null && now != null && !parts.observer.mayBeTaken(now, reply.at())) {
                boolean isOther = isOfAnother(item, isOwn.test(item));
                nextHeld.put(number, new Held(now, isOther, heldSince(number, item, isOther, reply.at())));
                parts.records.onHeldByOther(key, item);
                shared.warnOfAnotherNumber(key, number, permits, item);
            } else if (found.shows(LeaseSpec.slotKey(key, number))) {
                nextFree.put(number, now != null && now.item().version() != null ? now : null);
            }
        }
        readAt = reply.at();
        movedAt = others(nextHeld).equals(others(held)) ? movedAt : readAt;
        held = nextHeld;
        free = nextFree;
    }

    private static Map<Integer, Long> others(Map<Integer, Held> held) {
        return held.entrySet().stream()
                .filter(one -> one.getValue().isOther)
                .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().since));
    }

    /**
     * The version in the item decides, because two processes may use the same owner name. During a hold and after a
     * forced release, the version belongs to no acquire, so the owner name decides.
     */
    private boolean isOfAnother(LeaseItem item, boolean isOwn) {
        boolean isHolder = Tenure.isOfAHolder(item.version()) && item.releasedAtMillis() == null;
        return isHolder ? !isOwn : !parts.settings.owner().equals(item.owner());
    }

    private long heldSince(int number, LeaseItem item, boolean isOther, long now) {
        sawOthers |= isOther;
        Held before = held.get(number);
        LeaseItem shown = before == null ? null : before.lease.item();
        if (before != null && Objects.equals(Tenure.shownBy(shown), Tenure.shownBy(item))) {
            return before.since;
        } else if (before == null && !free.containsKey(number)) {
            return now;
        }
        contention = parts.observer.contended(key, now);
        String owner = item.owner() == null ? "" : item.owner();
        if (isOther) {
            contention.saw(owner, now);
        }
        if (before != null) {
            contention.ended(readAt - before.since);
            boolean handedOver = isOther && owner.equals(before.lease.item().owner());
            if (handedOver && toMark == null && item.waitingSinceMillis() == null) {
                toMark = number;
            }
        }
        return now;
    }

    void onRefused() {
        sawOthers = true;
    }

    void onGranted() {
        contention.granted(sawOthers, parts.clock.now());
        sawOthers = false;
    }

    /** Processes that recently held this permit or waited for it count as waiters for all permits of the key. */
    void onReleased(int number) {
        movedAt = parts.clock.now();
        Contention ofPermit = parts.observer.contention(LeaseSpec.slotKey(key, number));
        boolean othersWait = ofPermit != null && ofPermit.isKnown(movedAt);
        if (othersWait) {
            contention = parts.observer.contended(key, movedAt);
        }
        contention.released(othersWait, movedAt);
    }

    /** The order differs between processes, so that two processes seldom request the same permit. */
    private List<Integer> inOrder(int permits) {
        String owner = parts.settings.owner();
        return shared.rules
                .slots(permits)
                .boxed()
                .sorted(Comparator.comparingInt(number -> Objects.hash(owner, number) * 0x9E3779B9))
                .toList();
    }

    // ---- pace

    boolean isQuick() {
        return contention.isKnown(parts.clock.now()) && contention.isQuick(keptFor());
    }

    /** After a release, this process leaves free permits to other processes for a while. */
    boolean standsBack(int permits) {
        return contention.standBack(parts.clock.now(), permits, parts.random) > 0;
    }

    /** Returns the nanoseconds until the next read for a call that has waited for {@code waited} nanoseconds. */
    long delay(long waited, int permits) {
        long now = parts.clock.now();
        long untilEnd = held.values().stream()
                .mapToLong(one -> parts.observer.untilEnd(one.lease, now))
                .min()
                .orElse(Long.MAX_VALUE);
        return parts.polling.delayOfPermits(waited, keptFor(), untilEnd, contention, permits, now);
    }

    private long keptFor() {
        return Math.max(0, readAt - movedAt);
    }
}
