package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.MILLI;
import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What looks at the slots of one key have shown, and when to look again (6.6). Lives in the mailbox of the queue. */
final class PermitLooks {

    private static final long FIRST = 20 * MILLI;
    private static final long STEADY = 2 * SECOND;
    private static final long STAND_BACK = 3 * SECOND / 2;

    private final String key;
    private final PermitParts shared;
    private final Map<Integer, Long> standBackUntil = new HashMap<>();
    private Map<Integer, LeaseItem> held = Map.of(); // by slot, in the last look
    private @Nullable Integer toMark;

    PermitLooks(String key, PermitParts shared) {
        this.key = key;
        this.shared = shared;
    }

    String key(int slot) {
        return LeaseTerms.slotKey(key, slot);
    }

    List<String> keys(int permits) {
        return IntStream.range(0, permits).mapToObj(this::key).toList();
    }

    /** Leaves a slot to other processes for longer than they pause between looks. */
    void standBack(int slot, long now) {
        standBackUntil.put(slot, now + STAND_BACK);
    }

    boolean isLeftToOthers(int slot, long now) {
        Long until = standBackUntil.get(slot);
        if (until != null && until - now <= 0) {
            standBackUntil.remove(slot);
            return false;
        }
        return until != null;
    }

    /** Takes in a look at this many slots; returns those that may be free, in an order of this process. */
    List<Integer> saw(StoreReply.FoundEach found, int permits, long now) {
        Map<String, LeaseItem> items = new HashMap<>();
        found.items().forEach(item -> items.put(item.key(), item));
        Map<Integer, LeaseItem> before = held;
        held = new HashMap<>();
        toMark = null;
        List<Integer> free = new ArrayList<>();
        for (int slot : inOrder(permits)) {
            String slotKey = key(slot);
            LeaseItem item = items.get(slotKey);
            if (item != null && !shared.watches().mayBeTaken(new SeenItems.Observation(item, now), now)) {
                held.put(slot, item);
                standBackUntil.remove(slot); // another process has it, or this one
                noteHandOver(slot, before.get(slot), item);
            } else if (!found.unread().contains(slotKey)) {
                free.add(slot);
            }
        }
        return free;
    }

    /** Processes begin at different slots, so they seldom ask for the same one. */
    private List<Integer> inOrder(int permits) {
        return IntStream.range(0, permits)
                .boxed()
                .sorted(Comparator.comparing(slot -> Objects.hash(shared.owner(), slot) * 0x9E3779B9))
                .toList();
    }

    /** A slot that moves within another process is marked, so that its hand-overs end. */
    private void noteHandOver(int slot, @Nullable LeaseItem before, LeaseItem item) {
        if (before == null
                || Objects.equals(tenure(before), tenure(item))
                || shared.owner().equals(item.owner())) {
            return;
        }
        if (toMark == null && Objects.equals(before.owner(), item.owner()) && item.waitingSinceMillis() == null) {
            toMark = slot;
        }
    }

    private static @Nullable UUID tenure(LeaseItem item) {
        return item.version() == null ? null : Tenure.tenureOf(item.version());
    }

    /** Returns the slot to mark instead of the next look, once; {@code null}: none. */
    @Nullable
    Integer takeToMark() {
        Integer slot = toMark;
        toMark = null;
        return slot;
    }

    /** Returns a lease that keeps callers from a permit, as the last look showed it; {@code null}: none. */
    @Nullable
    LeaseItem holder() {
        return held.values().stream().min(Comparator.comparing(LeaseItem::key)).orElse(null);
    }

    /**
     * Returns the pause before the next look. It grows with the wait. At first, no pause lasts much beyond the earliest
     * possible end of a lease; from the third second on, it is at least a second.
     */
    long pause(long waited, long now) {
        long half = Math.max(FIRST, Math.min(SECOND, waited / 2));
        long pause = half + shared.random().nextLong(half / 4);
        return waited >= STEADY ? pause : Math.min(pause, Math.max(FIRST, untilEnd(now)));
    }

    private long untilEnd(long now) {
        BoundedClock.Interval interval = shared.clock().at(now);
        return held.values().stream()
                .mapToLong(item -> untilEnd(item, now, interval))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private long untilEnd(LeaseItem item, long now, BoundedClock.@Nullable Interval interval) {
        long dead = shared.seen().nanosUntilDead(item, now);
        Long expiry = item.expiry();
        if (interval == null || expiry == null || expiry > Long.MAX_VALUE / SECOND - 1) {
            return dead;
        }
        return Math.min(dead, (expiry + 1) * SECOND - interval.earliest());
    }
}
