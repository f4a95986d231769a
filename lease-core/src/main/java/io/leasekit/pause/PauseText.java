package io.leasekit.pause;

import io.leasekit.LeasePause;
import io.leasekit.store.LeaseItem;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text of the item: a line with the names of the last changes, the latest first, then a line for each pause with its end
 * (epoch milliseconds), person, reason and key, separated by spaces and encoded as in HTML forms. The first name makes each text unique.
 * Earlier versions write the name of their own change only.
 */
final class PauseText {

    private static final long LAST_MILLIS = 9_000_000_000_000L; // in nanoseconds, still a long
    private static final int FIELDS = 4;
    private static final int MAX_CHANGES = 50;

    /** Stands for the time before the first change. */
    private static final String BEGINNING = "-";

    private PauseText() {}

    /** Returns the text of the item; {@code null}: it has none. */
    static @Nullable String of(@Nullable LeaseItem item) {
        return item == null ? null : item.pauses();
    }

    /** Returns the text after a change with this name; {@code changes}: the names of the earlier ones, the latest first. */
    static String of(String change, List<String> changes, List<LeasePause> pauses) {
        return Stream.concat(Stream.of(change), changes.stream())
                        .limit(MAX_CHANGES)
                        .collect(Collectors.joining(" "))
                + pauses.stream().map(PauseText::line).collect(Collectors.joining());
    }

    private static String line(LeasePause pause) {
        return "\n" + pause.until().toEpochMilli() + " " + encoded(pause.by()) + " " + encoded(pause.reason()) + " "
                + encoded(pause.keyOrPrefix());
    }

    /** Returns the names of the last changes, the latest first. At least one, also before the first change. */
    static List<String> changes(@Nullable String text) {
        return text == null
                ? List.of(BEGINNING)
                : List.of(text.lines().findFirst().orElse("").split(" ", -1));
    }

    /** Returns the pauses of this text. A line of another form is ignored. */
    static List<LeasePause> pauses(@Nullable String text) {
        return text == null
                ? List.of()
                : text.lines()
                        .skip(1)
                        .map(PauseText::pause)
                        .filter(Objects::nonNull)
                        .toList();
    }

    private static @Nullable LeasePause pause(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length < FIELDS) {
            return null;
        }
        try {
            long until = Long.parseLong(fields[0]);
            return until < 0 || until > LAST_MILLIS
                    ? null
                    : new LeasePause(
                            decoded(fields[3]), Instant.ofEpochMilli(until), decoded(fields[1]), decoded(fields[2]));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
