package io.leasekit.storm;

import io.leasekit.storm.Recording.Line;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The renewals that were recorded just after the end of their tenure. The thread of a renewal checks that the lease is held,
 * then records and sends it. Meanwhile another thread may release the lease or hand it over. Not thread-safe.
 */
final class LateRenewals {

    /** The longest time between the check and the record, unless the process was stopped. */
    private static final long LATE = Duration.ofMillis(250).toNanos();

    private final Map<UUID, Line> ends = new HashMap<>();
    private final Map<String, UUID> current = new HashMap<>();

    private LateRenewals() {}

    /** Returns the lines in the order of their times, with each late renewal just before the end of its tenure. */
    static List<Line> inOrder(List<Line> lines) {
        Comparator<Line> byTime = Comparator.comparingLong(Line::nanos);
        LateRenewals late = new LateRenewals();
        return lines.stream().sorted(byTime).map(late::inTime).sorted(byTime).toList();
    }

    private Line inTime(Line line) {
        UUID tenure = tenureOf(line.event());
        if (tenure == null) {
            return line;
        }
        Line end = ends.get(tenure);
        if (line.event().text(Sent.VERB).equals("release")) {
            ends.putIfAbsent(tenure, line);
        } else if (end == null) {
            UUID before = current.put(line.process(), tenure);
            if (before != null && !before.equals(tenure)) {
                ends.putIfAbsent(before, line);
            }
        } else if (checkedBy(line) <= end.nanos()) {
            return sentAt(line, end.nanos() - 1);
        }
        return line;
    }

    /** Returns the tenure of a write; {@code null}: the line is none. */
    private static @Nullable UUID tenureOf(Event event) {
        String name = event.text(Sent.VERB).equals("release") ? Sent.OWN : Sent.VERSION;
        return event.kind().equals("sent") && event.has(name) ? Tenure.tenureOf(event.text(name)) : null;
    }

    private static long checkedBy(Line line) {
        return Math.min(line.event().number(Recording.CLOCK), line.nanos() - LATE);
    }

    private static Line sentAt(Line line, long nanos) {
        Event event = Event.parse(line.event().toString());
        long clock = Math.min(nanos, event.number(Recording.CLOCK));
        return new Line(line.process(), event.with(Event.FROM, nanos).with(Recording.CLOCK, clock));
    }
}
