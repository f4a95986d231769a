package io.leasekit.pause;

import io.leasekit.LeasePause;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of pauses, and the rules for adding and removing pauses. The limits keep the item of the pauses small,
 * because every manager reads it.
 */
final class PauseRules {

    static final int MAX_PAUSES = 100;
    static final int MAX_REASON = 256;
    static final int MAX_BY = 128;
    static final int MAX_TEXT = Checks.MAX_PAUSES_CHARS;
    private static final Duration LONGEST = Checks.MAX_DURATION;
    private static final Duration TOLERANCE = Duration.ofHours(1); // the clocks of two processes may differ

    private PauseRules() {}

    static LeasePause pause(String keyOrPrefix, Instant until, String reason, String by) {
        Checks.leaseKey(keyOrPrefix);
        Checks.wellFormed("reason", reason);
        Checks.wellFormed("by", by);
        if (reason.isBlank() || reason.length() > MAX_REASON) {
            throw new IllegalArgumentException("reason has " + reason.length() + " characters" + of(keyOrPrefix)
                    + ", expected a text with a visible character and at most " + MAX_REASON + " characters");
        }
        return new LeasePause(keyOrPrefix, until.truncatedTo(ChronoUnit.MILLIS), Text.beginning(by, MAX_BY), reason);
    }

    static List<LeasePause> with(List<LeasePause> pauses, LeasePause one, Instant now) {
        if (!one.until().isAfter(now) || one.until().isAfter(now.plus(LONGEST))) {
            throw new IllegalArgumentException("until is " + one.until() + of(one.keyOrPrefix())
                    + ", expected a time at most " + Text.exact(LONGEST) + " after the table's time, " + now);
        }
        List<LeasePause> all = new ArrayList<>(without(pauses, one.keyOrPrefix()));
        all.add(one);
        if (all.size() > MAX_PAUSES) {
            throw new IllegalArgumentException("Table has " + (all.size() - 1) + " pauses already, expected at most "
                    + MAX_PAUSES + ": pause a prefix instead of single keys");
        }
        return List.copyOf(all);
    }

    /** Returns whether a pause ends so late that Leasekit cannot have written it. */
    static boolean isTooFar(LeasePause pause, Instant latest) {
        return pause.until().isAfter(latest.plus(LONGEST).plus(TOLERANCE));
    }

    static List<LeasePause> without(List<LeasePause> pauses, String keyOrPrefix) {
        return pauses.stream()
                .filter(pause -> !pause.keyOrPrefix().equals(keyOrPrefix))
                .toList();
    }

    /** Accepts a text of any length if it is not longer than {@code before}, the previous text of the item. */
    static void size(String text, String before) {
        if (text.length() > MAX_TEXT && text.length() > before.length()) {
            throw new IllegalArgumentException("Pauses of the table have " + text.length()
                    + " characters, expected at most " + MAX_TEXT + ": pause a prefix, or give shorter reasons");
        }
    }

    private static String of(String keyOrPrefix) {
        return " for a pause of " + Text.quote(keyOrPrefix);
    }
}
