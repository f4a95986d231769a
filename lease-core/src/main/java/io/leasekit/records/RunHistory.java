package io.leasekit.records;

import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The run history of a key: a text in the item of the key, with one run per line and the latest run last. A line
 * consists of URL-encoded values; an unknown value is empty. Readers use only the last 50 lines, and skip malformed and
 * overlong lines. No decision depends on the history.
 */
@Internal
public final class RunHistory {

    /** DynamoDB charges each write for the size of the item, so a longer history would make each write more expensive. */
    private static final int MOST_CHARS = Checks.MAX_HISTORY_CHARS;

    private static final int MOST_OF_ERROR = 200;
    private static final int PARTS = 7;

    private RunHistory() {}

    public static List<LeasePastRun> runs(@Nullable String text) {
        List<String> lines = lines(text).toList();
        List<LeasePastRun> runs = new ArrayList<>();
        lines.stream()
                .skip(Math.max(0, lines.size() - Checks.MAX_HISTORY))
                .map(RunHistory::run)
                .filter(Objects::nonNull)
                .forEach(run -> runs.add(0, run));
        return List.copyOf(runs);
    }

    /**
     * The added run replaces a line with the same token, because a write whose reply was lost may already have added
     * the run.
     *
     * @param most the maximum number of runs in the text
     */
    public static String with(@Nullable String text, LeasePastRun run, int most) {
        String token = part(run.fencingToken());
        return joined(lines(text).filter(line -> !token.equals(line.split("\t", 2)[0])), run, most);
    }

    /** Unlike {@link #with}, this method replaces no line. */
    public static String noted(@Nullable String text, LeasePastRun note, int most) {
        return joined(lines(text), note, most);
    }

    private static String joined(Stream<String> before, LeasePastRun added, int most) {
        List<String> lines = new ArrayList<>(before.toList());
        lines.add(line(added));
        while (lines.size() > most || chars(lines) > MOST_CHARS) {
            lines.remove(0);
        }
        return String.join("\n", lines);
    }

    private static int chars(List<String> lines) {
        return lines.stream().mapToInt(line -> line.length() + 1).sum();
    }

    private static Stream<String> lines(@Nullable String text) {
        return text == null ? Stream.empty() : text.lines().filter(line -> !line.isEmpty());
    }

    private static String line(LeasePastRun run) {
        String error = run.error() == null ? null : Text.beginning(run.error(), MOST_OF_ERROR);
        Instant begun = run.begunAt();
        Duration took = run.duration();
        return Stream.of(
                        run.fencingToken(),
                        text(run.name()),
                        text(run.owner()),
                        begun == null ? "" : begun.toEpochMilli(),
                        took == null ? "" : took.toMillis(),
                        run.outcome() == null ? "" : run.outcome().name(),
                        text(error))
                .map(RunHistory::part)
                .collect(Collectors.joining("\t"));
    }

    private static String text(@Nullable String part) {
        return part == null ? "" : part;
    }

    private static String part(Object value) {
        return URLEncoder.encode(value.toString(), StandardCharsets.UTF_8);
    }

    private static @Nullable LeasePastRun run(String line) {
        String[] parts = line.split("\t", -1);
        if (parts.length < PARTS) {
            return null;
        }
        try {
            List<String> values = Arrays.stream(parts)
                    .map(part -> URLDecoder.decode(part, StandardCharsets.UTF_8))
                    .toList();
            if (values.get(1).length() > Checks.MAX_RUN_BYTES
                    || values.get(2).length() > Checks.MAX_OWNER
                    || values.get(6).length() > MOST_OF_ERROR) {
                return null;
            }
            return new LeasePastRun(
                    of(values.get(1), name -> name),
                    of(values.get(2), owner -> owner),
                    Long.parseLong(values.get(0)),
                    of(values.get(3), at -> Instant.ofEpochMilli(Long.parseLong(at))),
                    of(values.get(4), took -> Duration.ofMillis(Long.parseLong(took))),
                    of(values.get(5), LeaseRunOutcome::valueOf),
                    of(values.get(6), error -> error));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            return null; // a later version or a person has written this line
        }
    }

    private static <T> @Nullable T of(String part, Function<String, T> read) {
        return part.isEmpty() ? null : read.apply(part);
    }
}
