package io.leasekit.storm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history or of a table: a flat JSON object of texts and whole numbers. Not thread-safe.
 *
 * <p>{@code from} and {@code to} are readings of the machine's monotonic clock in nanoseconds, before and after what the
 * event is about. All processes of one machine share this clock, and wall clocks do not affect it.
 */
final class Event {

    static final String KIND = "event";
    static final String FROM = "from";
    static final String TO = "to";
    static final String KEY = "key";
    static final String KEYS = "keys";
    static final String TOKEN = "token";
    static final String ID = "id";
    static final String RUN = "run";
    static final String OUTCOME = "outcome";
    static final String PERMITS = "permits";
    static final String SLOT = "slot";
    static final String ELECTION = "election";
    /** The time after the grant of a term and before its work began. */
    static final String STARTED = "started";

    /** Whether the election said that its process leads: 1 or 0. */
    static final String LEADS = "leads";

    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|(-?\\d+))");
    private static final Pattern UNQUOTABLE = Pattern.compile("[\"\\\\\\p{Cntrl}]");

    private final Map<String, String> fields = new LinkedHashMap<>();

    private Event() {}

    static Event of(String kind) {
        return new Event().with(KIND, kind);
    }

    /** Returns a row of a table. */
    static Event row() {
        return new Event();
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if the line is not complete
     */
    static Event parse(String line) {
        if (!line.startsWith("{") || !line.endsWith("}")) {
            throw new IllegalArgumentException("Line is not complete: '" + line + "'");
        }
        Event event = new Event();
        Matcher field = FIELD.matcher(line);
        while (field.find()) {
            String text = field.group(2);
            event.fields.put(field.group(1), text == null ? field.group(3) : '"' + text + '"');
        }
        return event;
    }

    /** Adds a text. Quotes, backslashes and control characters become spaces. */
    Event with(String name, String text) {
        fields.put(name, '"' + UNQUOTABLE.matcher(text).replaceAll(" ") + '"');
        return this;
    }

    Event with(String name, long number) {
        fields.put(name, String.valueOf(number));
        return this;
    }

    Event keys(List<String> keys) {
        return with(KEYS, String.join(",", keys));
    }

    Event between(long from, long to) {
        return with(FROM, from).with(TO, to);
    }

    String kind() {
        return text(KIND);
    }

    List<String> keys() {
        return List.of(text(KEYS).split(","));
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** Returns a text; empty if there is no such field. */
    String text(String name) {
        String value = value(name);
        return value == null ? "" : value.replace("\"", "");
    }

    /**
     * Returns a number.
     *
     * @throws IllegalArgumentException if there is no such field, or it is a text
     */
    long number(String name) {
        String value = value(name);
        if (value == null || value.startsWith("\"")) {
            throw new IllegalArgumentException("No number '" + name + "' in " + this);
        }
        return Long.parseLong(value);
    }

    private @Nullable String value(String name) {
        return fields.get(name);
    }

    @Override
    public String toString() {
        return fields.entrySet().stream()
                .map(field -> '"' + field.getKey() + "\":" + field.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
