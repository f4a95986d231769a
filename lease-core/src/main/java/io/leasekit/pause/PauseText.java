package io.leasekit.pause;

import io.leasekit.LeasePause;
import io.leasekit.records.RecordTable;
import io.leasekit.store.LeaseItem;
import io.leasekit.text.Text;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the text of the item that contains all pauses. Each write of the text adds a new random UUID, so no
 * two writes of the text are equal. The first line of the text lists the UUIDs of the last writes, the latest first.
 * Each further line is one pause, as URL-encoded fields separated by spaces: end (epoch milliseconds), author, reason
 * and key.
 */
final class PauseText {

    private static final long LAST_MILLIS = 9_000_000_000_000L; // this time in nanoseconds fits into a long
    private static final int FIELDS = 4;
    private static final int MAX_CHANGES = 50;
    private static final int MAX_NAME = 64;

    /** Stands for the name of the last change until the first change of the pauses. */
    private static final String BEGINNING = "-";

    /** Replaces a stored value that is not a text. Readers ignore the second line. */
    private static final String UNREADABLE = BEGINNING + "\nunreadable";

    private PauseText() {}

    static @Nullable String of(@Nullable LeaseItem item) {
        String text = stored(item);
        return text == null && item != null && item.records().has(RecordTable.PAUSES) ? UNREADABLE : text;
    }

    static @Nullable String stored(@Nullable LeaseItem item) {
        return item == null ? null : item.records().text(RecordTable.PAUSES);
    }

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

    static List<String> changes(@Nullable String text) {
        String first = text == null ? "" : text.lines().findFirst().orElse("");
        List<String> names = Stream.of(
                        Text.beginning(first, MAX_CHANGES * MAX_NAME).split(" "))
                .filter(name -> !name.isEmpty() && name.length() <= MAX_NAME)
                .limit(MAX_CHANGES)
                .toList();
        return names.isEmpty() ? List.of(BEGINNING) : names;
    }

    /** Ignores lines that have a wrong format or exceed the limits of {@link PauseRules}. */
    static List<LeasePause> pauses(@Nullable String text) {
        List<LeasePause> pauses = new ArrayList<>();
        int size = 0;
        for (String line : text == null
                ? List.<String>of()
                : readable(text).lines().skip(1).toList()) {
            LeasePause pause = pause(line);
            size += pause == null ? 0 : line(pause).length();
            if (pause != null && pauses.size() < PauseRules.MAX_PAUSES && size <= PauseRules.MAX_TEXT) {
                pauses.add(pause);
            }
        }
        return List.copyOf(pauses);
    }

    static boolean ignores(@Nullable String text) {
        return text != null && text.lines().skip(1).count() > pauses(text).size();
    }

    /** Omits a line that would be cut, because a cut line could contain another key. */
    private static String readable(String text) {
        return text.length() <= PauseRules.MAX_TEXT
                ? text
                : text.substring(0, Math.max(0, text.lastIndexOf('\n', PauseRules.MAX_TEXT)));
    }

    private static @Nullable LeasePause pause(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length < FIELDS) {
            return null;
        }
        try {
            long until = Long.parseLong(fields[0]);
            LeasePause pause = PauseRules.pause(
                    decoded(fields[3]), Instant.ofEpochMilli(until), decoded(fields[2]), decoded(fields[1]));
            return until < 0
                            || until > LAST_MILLIS
                            || pause.by().length() < decoded(fields[1]).length()
                    ? null
                    : pause;
        } catch (IllegalArgumentException | DateTimeException e) {
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
