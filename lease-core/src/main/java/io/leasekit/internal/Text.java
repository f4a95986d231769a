package io.leasekit.internal;

import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Prints texts for people. Keys, owners and whatever else comes from callers or from the table are put in single quotes, escaped
 * and cut at 128 characters, so that none of them can break a line of a log. Stateless, so thread-safe.
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

    /** Quotes the keys of one lease; of more than three it prints the first three and the number of the others. */
    public static String quoteAll(List<String> keys) {
        if (keys.size() == 1) {
            return quote(keys.get(0));
        }
        String first = keys.stream().limit(MAX_KEYS).map(Text::quote).collect(Collectors.joining(", "));
        return keys.size() <= MAX_KEYS ? first : first + " and " + (keys.size() - MAX_KEYS) + " more";
    }

    /**
     * Prints a record as {@code Type[name=value, …]}, with its texts quoted.
     *
     * @param names the names of the components, separated by commas
     * @param values their values, in the same order
     */
    public static String record(String type, String names, @Nullable Object... values) {
        StringJoiner printed = new StringJoiner(", ", type + "[", "]");
        String[] each = names.split(", ", -1);
        for (int i = 0; i < each.length; i++) {
            printed.add(each[i] + "=" + value(values[i]));
        }
        return printed.toString();
    }

    private static @Nullable Object value(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Text::value).toList();
        }
        return value instanceof String text ? quote(text) : value;
    }

    /** Escapes and cuts a text without quoting it. */
    public static String plain(String text) {
        return isPlain(text) ? text : escaped(text);
    }

    /** Most texts are, and they are printed often. */
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
