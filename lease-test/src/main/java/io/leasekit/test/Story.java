package io.leasekit.test;

import io.leasekit.LeaseEvent;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The history of a test: each action of each node on each key, with its time. Thread-safe. */
final class Story {

    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private final LongSupplier elapsed;

    /**
     * One line of the history. {@code key} is {@code null} if the line concerns all keys, and {@code event} is
     * {@code null} for an action of the test.
     */
    private record Entry(
            long nanos,
            String node,
            @Nullable String key,
            String text,
            @Nullable LeaseEvent event) {

        private String line() {
            double seconds = nanos / (double) Duration.ofSeconds(1).toNanos();
            return String.format(Locale.ROOT, "  %9.3f s  %-12s %s", seconds, Text.plain(node), text);
        }
    }

    Story(LongSupplier elapsed) {
        this.elapsed = elapsed;
    }

    void event(String node, LeaseEvent event) {
        entries.add(new Entry(elapsed.getAsLong(), node, event.key(), text(event), event));
    }

    void action(String node, @Nullable String key, String text) {
        entries.add(new Entry(elapsed.getAsLong(), node, key, text, null));
    }

    <E extends LeaseEvent> List<E> events(String node, String key, Class<E> kind) {
        return entries.stream()
                .filter(entry -> entry.node.equals(node) && key.equals(entry.key))
                .map(Entry::event)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    List<Long> tokens(String key) {
        return entries.stream()
                .filter(entry -> key.equals(entry.key))
                .map(Entry::event)
                .filter(LeaseEvent.Acquired.class::isInstance)
                .map(event -> ((LeaseEvent.Acquired) event).fencingToken())
                .toList();
    }

    List<String> keys() {
        return entries.stream()
                .map(Entry::key)
                .flatMap(Stream::ofNullable)
                .distinct()
                .sorted()
                .toList();
    }

    /** If the key is {@code null}, returns the history of all keys. */
    String of(@Nullable String key) {
        String lines = entries.stream()
                .filter(entry -> key == null || entry.key == null || entry.key.equals(key))
                .map(entry -> entry.line() + (key == null && entry.key != null ? " of " + Text.quote(entry.key) : ""))
                .collect(Collectors.joining("\n"));
        if (key != null && !keys().contains(key)) {
            return lines + (lines.isEmpty() ? "" : "\n") + "  nothing happened to it; keys of this test: " + keys();
        }
        return lines.isEmpty() ? "  nothing happened" : lines;
    }

    private static String text(LeaseEvent event) {
        if (event instanceof LeaseEvent.Acquired acquired) {
            return "acquired, token " + acquired.fencingToken();
        }
        if (event instanceof LeaseEvent.Released released) {
            return "released, token " + released.fencingToken();
        }
        if (event instanceof LeaseEvent.Lost lost) {
            return "lost, " + lost.reason() + ", token " + lost.fencingToken();
        }
        if (event instanceof LeaseEvent.AtRisk risk) {
            return "at risk, " + Text.duration(risk.remaining()) + " left";
        }
        if (event instanceof LeaseEvent.Unavailable unavailable) {
            String holder =
                    unavailable.holder() == null ? null : unavailable.holder().owner();
            return "refused, held by " + Text.quote(holder);
        }
        if (event instanceof LeaseEvent.AlreadyRan ran) {
            return "refused, run " + Text.quote(ran.run()) + " is done";
        }
        if (event instanceof LeaseEvent.Ran ran) {
            String run = ran.run() == null ? "" : " " + Text.quote(ran.run());
            return "run" + run + " ended, " + ran.outcome();
        }
        return "released by force";
    }
}
