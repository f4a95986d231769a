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

    /**
     * The longest distance between slots that is searched. This limit is longer than eight years, the distance between
     * two 29 Februaries around a year such as 2100. Only expressions with days of the week have longer distances.
     */
    private static final Duration MAX_DISTANCE = Duration.ofDays(9 * 366);

    private static final int SLOTS_LOOKED_AT = 500;

    /**
     * The minimum distance between slots. At shorter distances, the error of a node's clock and the uncertainty of
     * DynamoDB's time could confuse two slots.
     */
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

    /**
     * Returns the slots of a trigger of a scheduler with this clock. A trigger without a time zone uses the zone of the
     * clock.
     */
    static CronSlots of(CronTrigger trigger, Clock clock) {
        return new CronSlots(time -> next(trigger, clock.getZone(), time), trigger.getExpression());
    }

    /** Returns the slots of all these triggers together; {@code triggers}: at least one. */
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

    /**
     * Returns the slot nearest to this time, or the earlier slot if two are equally near; {@code null} if there is no
     * slot.
     */
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
        // Spring returns times that are not later before a clock goes back by half an hour, or within an hour
        while (next != null && !next.isAfter(time)) {
            from = from.plusSeconds(1);
            next = ofSpring(from);
        }
        return next;
    }

    private @Nullable Instant ofSpring(Instant time) {
        return next.apply(time);
    }

    /**
     * Returns the last slot up to this time; {@code null} if there is none. A cron expression yields only the next time
     * after a given time. So the search starts one second before this time, then two seconds, four, and so on. In the
     * first span that contains slots, all of them are in the earlier half, because the later half was searched before.
     * The search then steps from slot to slot up to the last.
     */
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

    /** Returns the shortest distance between two of the next 500 slots; {@code null} if there are fewer than two. */
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

    /** Returns the cron expression. */
    @Override
    public String toString() {
        return text;
    }
}
