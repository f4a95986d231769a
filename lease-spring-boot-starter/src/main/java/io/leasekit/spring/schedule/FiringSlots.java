package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The slots of one or more tasks of a method. Immutable, so thread-safe. */
@Internal
public final class FiringSlots {

    private final List<CronSlots> triggers;

    FiringSlots(List<CronSlots> triggers) {
        this.triggers = List.copyOf(triggers);
    }

    /**
     * Returns the slot nearest to this time; {@code null} if there is none, or if tasks of which any may have fired have different
     * ones.
     */
    public @Nullable Instant nearest(Instant time) {
        Set<@Nullable Instant> slots = new HashSet<>();
        triggers.forEach(trigger -> slots.add(trigger.nearest(time)));
        return slots.size() == 1 ? slots.iterator().next() : null;
    }

    /** Returns whether this time is a slot. */
    public boolean contains(Instant time) {
        return triggers.stream().anyMatch(trigger -> time.equals(trigger.nearest(time)));
    }

    /** Returns the cron expressions. */
    @Override
    public String toString() {
        return triggers.stream().map(CronSlots::toString).distinct().collect(Collectors.joining("', '", "'", "'"));
    }
}
