package io.leasekit.spring.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/** The slots of a scheduled job: the times at which its cron expression fires. Thread-safe. */
final class CronSlots {

    /** Limits the search for an earlier slot; slots on 29 February can be eight years apart, as from 2096 to 2104. */
    private static final Duration MAX_DISTANCE = Duration.ofDays(9 * 366);

    private static final int SLOTS_LOOKED_AT = 500;

    /** Minimum time between slots; if slots were closer, clock errors could assign a firing to the wrong slot. */
    private static final Duration MIN_DISTANCE = Duration.ofSeconds(10);

    private final UnaryOperator<@Nullable Instant> next;
    private final String text;

    private CronSlots(UnaryOperator<@Nullable Instant> next, String text) {
        this.next = next;
        this.text = text;
    }

    CronSlots(CronExpression cron, ZoneId zone) {
        this(time -> next(cron, zone, time), cron.toString());
    }

    /** A trigger without a time zone uses the zone of {@code clock}, the clock of the scheduler. */
    static CronSlots of(CronTrigger trigger, Clock clock) {
        return new CronSlots(time -> next(trigger, clock.getZone(), time), trigger.getExpression());
    }

    static CronSlots ofAll(List<CronSlots> triggers) {
        return new CronSlots(
                time -> time == null
                        ? null
                        : triggers.stream()
                                .map(trigger -> trigger.nextAfter(time))
                                .filter(Objects::nonNull)
                                .min(Comparator.naturalOrder())
                                .orElse(null),
                triggers.stream().map(CronSlots::toString).collect(Collectors.joining("', '")));
    }

    private static @Nullable Instant next(CronExpression cron, ZoneId zone, @Nullable Instant time) {
        ZonedDateTime next = time == null ? null : cron.next(time.atZone(zone));
        return next == null ? null : next.toInstant();
    }

    private static @Nullable Instant next(CronTrigger trigger, ZoneId zone, @Nullable Instant time) {
        SimpleTriggerContext firedAtTime = new SimpleTriggerContext(Clock.system(zone));
        firedAtTime.update(time, time, time);
        return trigger.nextExecution(firedAtTime);
    }

    /** Returns the earlier of two equally near slots; {@code null} if there is no slot. */
    @Nullable
    Instant nearest(Instant time) {
        Instant before = lastUntil(time);
        Instant after = nextAfter(time);
        if (before == null || after == null) {
            return before == null ? after : before;
        }
        boolean afterIsNearer = Duration.between(time, after).compareTo(Duration.between(before, time)) < 0;
        return afterIsNearer ? after : before;
    }

    private @Nullable Instant nextAfter(Instant time) {
        Instant from = time;
        Instant next = ofSpring(from);
        // Before unusual clock changes, such as by half an hour, Spring may return a time that is not after 'time'.
        while (next != null && !next.isAfter(time)) {
            from = from.plusSeconds(1);
            next = ofSpring(from);
        }
        return next;
    }

    private @Nullable Instant ofSpring(Instant time) {
        return next.apply(time);
    }

    /** Searches longer and longer spans before the time, because Spring can compute only the next slot after a time. */
    @Nullable
    Instant lastUntil(Instant time) {
        for (Duration span = Duration.ofSeconds(1); span.compareTo(MAX_DISTANCE) < 0; span = span.multipliedBy(2)) {
            Instant slot = nextAfter(time.minus(span));
            if (slot != null && !slot.isAfter(time)) {
                return lastFrom(slot, time);
            }
        }
        return null;
    }

    private Instant lastFrom(Instant slot, Instant time) {
        Instant last = slot;
        Instant next = nextAfter(last);
        while (next != null && !next.isAfter(time)) {
            last = next;
            next = nextAfter(last);
        }
        return last;
    }

    boolean contains(Instant time) {
        return time.equals(nearest(time));
    }

    static boolean areFarEnoughApart(@Nullable Duration distance) {
        return distance == null || distance.compareTo(MIN_DISTANCE) >= 0;
    }

    @Nullable
    Duration shortestDistance(Instant from) {
        Duration shortest = null;
        Instant slot = nextAfter(from);
        for (int seen = 1; slot != null && seen < SLOTS_LOOKED_AT; seen++) {
            Instant next = nextAfter(slot);
            Duration distance = next == null ? null : Duration.between(slot, next);
            if (distance != null && (shortest == null || distance.compareTo(shortest) < 0)) {
                shortest = distance;
            }
            slot = next;
        }
        return shortest;
    }

    @Override
    public String toString() {
        return text;
    }
}
