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
import org.jspecify.annotations.Nullable;

/**
 * The text of the item: a line with the name of the change that wrote it, then a line for each pause with its end (epoch
 * milliseconds), person, reason and key, separated by spaces and percent-encoded. The name makes each text unique.
 */
final class PauseText {

    private static final long LAST_MILLIS = 9_000_000_000_000L; // in nanoseconds, still a long
    private static final int FIELDS = 4;

    private PauseText() {}

    /** Returns the text of the item; {@code null}: it has none. */
    static @Nullable String of(@Nullable LeaseItem item) {
        return item == null ? null : item.pauses();
    }

    static String of(String change, List<LeasePause> pauses) {
        return change + pauses.stream().map(PauseText::line).collect(Collectors.joining());
    }

    private static String line(LeasePause pause) {
        return "\n" + pause.until().toEpochMilli() + " " + encoded(pause.by()) + " " + encoded(pause.reason()) + " "
                + encoded(pause.keyOrPrefix());
    }

    /** Returns the name of the change that wrote this text; empty: no change has. */
    static String change(@Nullable String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
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
