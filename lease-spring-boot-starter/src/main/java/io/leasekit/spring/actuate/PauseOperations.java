package io.leasekit.spring.actuate;

import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.LeasePauses;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Shows and changes the pauses of a table for the endpoint. Stateless, so thread-safe. */
final class PauseOperations {

    private PauseOperations() {}

    static Map<String, Object> list(LeaseManager manager, LeaseViews views) {
        LeasePauses pauses = manager.pauses();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("enabled", pauses.isEnabled());
        view.put("pauses", pauses.list().stream().map(views::pause).toList());
        return view;
    }

    /** Pauses for a duration, or until a time; one of them is given. */
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
        return pauses.pause(
                given,
                duration != null ? manager.time().plus(duration(duration)) : time(given("until", until)),
                why,
                by);
    }

    static boolean resume(LeaseManager manager, @Nullable String key) {
        LeasePauses pauses = enabled(manager);
        return pauses.resume(given("key", key)).isPresent();
    }

    private static LeasePauses enabled(LeaseManager manager) {
        LeasePauses pauses = manager.pauses();
        if (!pauses.isEnabled()) {
            throw new IllegalArgumentException(
                    "Pauses are disabled on this node, expected 'lease.pause.enabled=true' on all nodes");
        }
        return pauses;
    }

    private static String given(String name, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("Parameter '" + name + "' is missing");
        }
        return value;
    }

    private static Duration duration(String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw invalid("duration", text, "a duration such as '30m' or 'PT30M'");
        }
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw invalid("until", text, "a time such as '2030-01-31T18:00:00Z'");
        }
    }

    private static IllegalArgumentException invalid(String name, String text, String expected) {
        return new IllegalArgumentException("Parameter '" + name + "' is '" + text + "', expected " + expected);
    }
}
