package io.leasekit.engine;

import io.leasekit.LeaseInfo;
import io.leasekit.kernel.EngineParts;
import io.leasekit.observe.Contention;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one key according to the last read, and the pace at which permits change owners (protocol 6.6). Used
 * only in the mailbox of the {@link PermitQueue}.
 */
final class PermitsSeen {

    private final String key;
    private final Permits shared;
    private final EngineParts parts;

    /**
     * The permits that calls of this process have named, by number. The order differs between processes, so that two
     * processes seldom request the same permit.
     */
    final Map<Integer, PermitSlot> slots;

    private long readAt;
    // The observer's statistics about the key; until the first contention, separate statistics.
    private Contention contention;
    private boolean sawOthers;
    // The monotonic time at which others' permits last changed or this process last released a permit.
    private long movedAt;

    /** A permit that another process passes between its own callers; {@code null} if there is none. */
    @Nullable
    PermitSlot toMark;

    /**
     * One permit. If it is neither held nor free, the read did not show it.
     *
     * @param lease the holder's lease, or an ended lease that an acquire may overwrite
     * @param since the monotonic time at which a read first showed the present holder
     */
    record Seen(@Nullable Observation lease, boolean isFree, boolean isHeld, boolean isOther, long since) {

        static final Seen NOTHING = new Seen(null, false, false, false, 0);
    }

    PermitsSeen(String key, Permits shared) {
        this.key = key;
        this.shared = shared;
        this.parts = shared.parts;
        String owner = parts.settings.owner();
        this.slots = new TreeMap<>(Comparator.<Integer>comparingInt(number -> Objects.hash(owner, number) * 0x9E3779B9)
                .thenComparing(Comparator.naturalOrder()));
        this.movedAt = parts.clock.now();
        this.readAt = movedAt;
        Contention known = parts.observer.contention(key);
        this.contention = known == null ? new Contention(movedAt) : known;
    }

    @Nullable
    LeaseInfo holder() {
        return held().filter(Seen::isOther)
                .flatMap(one -> Stream.ofNullable(one.lease))
                .map(Observation::item)
                .min(Comparator.comparing(LeaseItem::key))
                .map(item -> parts.records.info(item, parts.clock.now()))
                .orElse(null);
    }

    private Stream<Seen> held() {
        return slots.values().stream().map(slot -> slot.seen).filter(Seen::isHeld);
    }

    // ---- events

    void saw(StoreReply.FoundEach found, List<PermitSlot> read, Requests.Reply reply) {
        Map<String, LeaseItem> items = found.items().stream().collect(Collectors.toMap(LeaseItem::key, item -> item));
        contention.requestEnded(reply.at() - reply.sent());
        toMark = null;
        Map<Integer, Long> others = others();
        for (PermitSlot slot : slots.values()) {
            boolean isShown = read.contains(slot) && found.shows(slot.key());
            slot.seen = seen(slot, items.get(slot.key()), isShown, read.size(), reply);
        }
        readAt = reply.at();
        movedAt = others().equals(others) ? movedAt : readAt;
    }

    private Map<Integer, Long> others() {
        return slots.values().stream()
                .filter(slot -> slot.seen.isOther)
                .collect(Collectors.toMap(slot -> slot.number, slot -> slot.seen.since));
    }

    private Seen seen(PermitSlot slot, @Nullable LeaseItem item, boolean isShown, int permits, Requests.Reply reply) {
        Observation now = item == null ? null : parts.observer.observe(slot.seen.lease, item, reply);
        if (item == null || now == null || parts.observer.mayBeTaken(now, reply.at())) {
            return new Seen(item == null || item.version() == null ? null : now, isShown, false, false, 0);
        }
        boolean isOther = slot.isOfAnother(item);
        slot.fairness.onHeldByOther();
        parts.records.onHeldByOther(key, item);
        shared.warnOfAnotherNumber(key, slot.number, permits, item);
        return new Seen(now, false, true, isOther, heldSince(slot, item, isOther, reply.at()));
    }

    private long heldSince(PermitSlot slot, LeaseItem item, boolean isOther, long now) {
        sawOthers |= isOther;
        Seen before = slot.seen;
        LeaseItem held = before.isHeld && before.lease != null ? before.lease.item() : null;
        if (held != null && Objects.equals(Tenure.shownBy(held), Tenure.shownBy(item))) {
            return before.since;
        } else if (held == null && !before.isFree) {
            return now;
        }
        contention = parts.observer.contended(key, now);
        String owner = item.owner() == null ? "" : item.owner();
        if (isOther) {
            contention.saw(owner, now);
        }
        if (held != null) {
            contention.ended(readAt - before.since);
            if (toMark == null && isOther && owner.equals(held.owner()) && item.waitingSinceMillis() == null) {
                toMark = slot;
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
    void onReleased(PermitSlot slot) {
        movedAt = parts.clock.now();
        Contention ofPermit = parts.observer.contention(slot.key());
        boolean othersWait = ofPermit != null && ofPermit.isKnown(movedAt);
        if (othersWait) {
            contention = parts.observer.contended(key, movedAt);
        }
        contention.released(othersWait, movedAt);
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
        long untilEnd = held().mapToLong(one -> parts.observer.untilEnd(one.lease, now))
                .min()
                .orElse(Long.MAX_VALUE);
        return parts.polling.delayOfPermits(waited, keptFor(), untilEnd, contention, permits, now);
    }

    private long keptFor() {
        return Math.max(0, readAt - movedAt);
    }
}
