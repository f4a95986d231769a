package io.leasekit.spring.actuate;

import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.LeasePauses;
import io.leasekit.text.Text;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Shows and changes the pauses of a table for the endpoint {@code leases}. Thread-safe. */
final class PauseOperations {

    static final String OFF =
            "This node ignores pauses: its manager does not read them, expected 'lease.pause.enabled=true', or a"
                    + " manager built with pauses(true), on all nodes";
    private static final String REFUSED = OFF + ". Nothing was changed";

    private static final Pattern NUMBER = Pattern.compile("[+-]?[\\d.,_\\s]*");
    private static final String EXPECTED = "a duration with a unit, such as '90s' or 'PT1M30S'";

    private PauseOperations() {}

    static Map<String, Object> list(LeaseManager manager, LeaseViews views) {
        LeasePauses pauses = manager.pauses();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("enabled", pauses.isEnabled());
        if (!pauses.isEnabled()) {
            view.put("warning", OFF);
        }
        view.put("pauses", pauses.list().stream().map(views::pause).toList());
        return view;
    }

    static LeasePause pause(
            LeaseManager manager,
            @Nullable String key,
            @Nullable String duration,
            @Nullable String until,
            @Nullable String reason,
            String by) {
        LeasePauses pauses = enabled(manager);
        String given = given("key", key);
        String why = given("reason", reason);
        if ((duration == null) == (until == null)) {
            throw new IllegalArgumentException("Parameters 'duration' and 'until' are "
                    + (duration == null ? "both missing" : "both given") + ", expected one of them");
        }
        Instant end = duration != null ? end(manager, duration) : time(given("until", until));
        return pauses.pause(given, end, why, by);
    }

    static boolean resume(LeaseManager manager, @Nullable String key) {
        LeasePauses pauses = enabled(manager);
        return pauses.resume(given("key", key)).isPresent();
    }

    private static LeasePauses enabled(LeaseManager manager) {
        LeasePauses pauses = manager.pauses();
        if (!pauses.isEnabled()) {
            throw new IllegalArgumentException(REFUSED);
        }
        return pauses;
    }

    private static String given(String name, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("Parameter '" + name + "' is missing");
        }
        return value;
    }

    private static Instant end(LeaseManager manager, String duration) {
        // This method rejects an invalid duration before the manager sends a request for the time.
        Duration length = duration(duration);
        try {
            return manager.time().plus(length);
        } catch (DateTimeException | ArithmeticException e) {
            throw invalid("duration", duration, EXPECTED + ", of at most 365 days");
        }
    }

    /** Rejects a number without a unit, because the unit would be ambiguous. */
    private static Duration duration(String text) {
        if (NUMBER.matcher(text).matches()) {
            throw invalid("duration", text, EXPECTED + ": a number without a unit is not accepted");
        }
        try {
            return DurationStyle.detectAndParse(text.strip());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid("duration", text, EXPECTED);
        }
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw invalid("until", text, "a time with its zone, such as '2030-01-31T18:00:00Z'");
        }
    }

    private static IllegalArgumentException invalid(String name, String text, String expected) {
        return new IllegalArgumentException(
                "Parameter '" + name + "' is " + Text.quote(text) + ", expected " + expected);
    }
}
