package io.leasekit.internal;

import java.net.UnknownHostException;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Formats values for logs and messages. Texts from callers and from the table, such as keys and owners, are put in single quotes,
 * escaped and cut at 128 characters, so that none of them can break a log line. Thread-safe.
 */
@Internal
public final class Text {

    private static final int MAX_LENGTH = 128;
    private static final int MAX_KEYS = 3;

    private Text() {}

    /** Quotes a text; {@code null} is printed as {@code nobody}. */
    public static String quote(@Nullable String text) {
        return text == null ? "nobody" : "'" + plain(text) + "'";
    }

    /** Quotes the keys of one lease: at most three of them, and the number of the others. */
    public static String quoteAll(List<String> keys) {
        if (keys.size() == 1) {
            return quote(keys.get(0));
        }
        String first = keys.stream().limit(MAX_KEYS).map(Text::quote).collect(Collectors.joining(", "));
        return keys.size() <= MAX_KEYS ? first : first + " and " + (keys.size() - MAX_KEYS) + " more";
    }

    /**
     * Formats a record as {@code Type[name=value, …]}, with its texts quoted.
     *
     * @param names the names of the components, separated by a comma and a space
     * @param values their values, in the same order
     * @throws IllegalArgumentException if the numbers of names and values differ
     */
    public static String record(String type, String names, @Nullable Object... values) {
        StringJoiner printed = new StringJoiner(", ", type + "[", "]");
        String[] each = names.split(", ", -1);
        if (each.length != values.length) {
            throw new IllegalArgumentException(
                    type + " has " + values.length + " values, expected one for each of " + each.length + " names");
        }
        for (int i = 0; i < each.length; i++) {
            printed.add(each[i] + "=" + value(values[i]));
        }
        return printed.toString();
    }

    /** Quotes a text and the texts of a list; returns any other value unchanged. */
    static @Nullable Object value(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Text::value).toList();
        }
        return value instanceof String text ? quote(text) : value;
    }

    /**
     * Returns the message of a failure, or the name of its class if it has none. The SDK's message for a host that cannot be
     * found does not name it, so its name is added.
     */
    public static String why(Throwable failure) {
        String message = failure.getMessage() == null ? failure.getClass().getName() : failure.getMessage();
        Throwable cause = failure;
        while (cause != null && !(cause instanceof UnknownHostException)) {
            cause = cause.getCause();
        }
        String host = cause == null ? null : cause.getMessage();
        return host == null || message.contains(host) ? message : message + " (unknown host: " + host + ")";
    }

    /** Escapes and cuts a text without quoting it. */
    public static String plain(String text) {
        return isPlain(text) ? text : escaped(text);
    }

    /** The fast path: most texts are plain, and they are formatted often. */
    private static boolean isPlain(String text) {
        boolean plain = text.length() <= MAX_LENGTH;
        for (int i = 0; plain && i < text.length(); i++) {
            plain = isPrintable(text.charAt(i));
        }
        return plain;
    }

    private static String escaped(String text) {
        StringBuilder printed = new StringBuilder();
        for (int i = 0; i < text.length() && i < MAX_LENGTH; i++) {
            append(printed, text.charAt(i));
        }
        return text.length() <= MAX_LENGTH
                ? printed.toString()
                : printed.append('…').toString();
    }

    private static void append(StringBuilder printed, char c) {
        if (isPrintable(c)) {
            printed.append(c);
        } else {
            printed.append(String.format("\\u%04x", (int) c));
        }
    }

    private static boolean isPrintable(char c) {
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.UNASSIGNED;
    }
}
