package io.leasekit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one acquire has seen of the items that it wants, and which of them are in its way (protocol 4.2, 4.3, 5.1). Of several
 * keys each is looked at by itself, one after the other, before all are asked for again. Lives in the acquire's mailbox.
 */
final class Holders {

    private final LeaseEngine engine;
    // made anew when they change: there are many waiters, in most cases of one key
    private List<LeaseItem> shown = List.of();
    private List<String> inTheWay = List.of();
    private String watched;

    Holders(LeaseEngine engine, List<String> keys) {
        this.engine = engine;
        this.watched = keys.get(0);
    }

    /** Takes in who refused; of the others nothing is known. */
    void refusedBy(List<StoreReply.Refusal> refusals) {
        refusals.forEach(refusal -> show(refusal.key(), refusal.item()));
        inTheWay = List.copyOf(refusals.stream().map(StoreReply.Refusal::key).toList());
        watched = inTheWay.get(0);
    }

    /** Takes in the item that is watched. */
    void saw(@Nullable LeaseItem item) {
        show(watched, item);
        if (!inTheWay.contains(watched)) {
            List<String> withIt = new ArrayList<>(List.of(watched));
            withIt.addAll(inTheWay);
            inTheWay = List.copyOf(withIt);
        }
    }

    private void show(String key, @Nullable LeaseItem item) {
        List<LeaseItem> now = new ArrayList<>(shown);
        now.removeIf(known -> known.key().equals(key));
        if (item != null) {
            now.add(item);
        }
        shown = List.copyOf(now);
    }

    private @Nullable LeaseItem shown(String key) {
        for (LeaseItem item : shown) {
            if (item.key().equals(key)) {
                return item;
            }
        }
        return null;
    }

    /** Turns to the first item that is in the way; returns whether there is none. */
    boolean allMayBeTaken(long now) {
        while (!inTheWay.isEmpty() && mayBeTaken(shown(inTheWay.get(0)), now)) {
            inTheWay = List.copyOf(inTheWay.subList(1, inTheWay.size()));
        }
        if (!inTheWay.isEmpty()) {
            watched = inTheWay.get(0);
        }
        return inTheWay.isEmpty();
    }

    /** Returns the key to look at next. */
    String watched() {
        return watched;
    }

    /** Returns what was last seen of it. */
    @Nullable
    LeaseItem holder() {
        return shown(watched);
    }

    /** Returns the item of this key if it was seen to tell that the run is done. */
    @Nullable
    LeaseItem doneRun(String key, String run) {
        LeaseItem item = shown(key);
        return item != null && item.isDone(run) ? item : null;
    }

    /** Returns the version of this key that an attempt may overwrite because its holder is dead. */
    @Nullable
    String deadVersion(String key, long now) {
        LeaseItem item = shown(key);
        return item != null && isDead(item, now) ? item.version() : null;
    }

    private boolean isDead(LeaseItem item, long now) {
        String version = item.version();
        return version != null && (engine.observations.isEnded(version) || engine.observations.isDead(item, now));
    }

    /** Whether the next attempt will name a reason for which this item does not refuse it. */
    private boolean mayBeTaken(@Nullable LeaseItem item, long now) {
        if (item == null || item.version() == null || isDead(item, now)) {
            return true;
        }
        BoundedClock.Reading reading = engine.clock.readingSince(now);
        Long freeBelow = reading == null ? null : engine.rules.freeBelow(reading);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }
}
