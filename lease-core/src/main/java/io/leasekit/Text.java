package io.leasekit;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How keys and owners are printed: in single quotes, control characters escaped, cut at 128 characters. */
final class Text {

    private static final int MAX_LENGTH = 128;
    private static final int MAX_KEYS = 3;

    private Text() {}

    static String quote(@Nullable String text) {
        return text == null ? "nobody" : "'" + plain(text) + "'";
    }

    /** Several keys of one lease, as one text; of many the first ones. */
    static String quoteAll(List<String> keys) {
        if (keys.size() == 1) {
            return quote(keys.get(0));
        }
        String first = keys.stream().limit(MAX_KEYS).map(Text::quote).collect(Collectors.joining(", "));
        return keys.size() <= MAX_KEYS ? first : first + " and " + (keys.size() - MAX_KEYS) + " more";
    }

    /** A name that need not be there. */
    static String quoteName(@Nullable String name) {
        return name == null ? "none" : quote(name);
    }

    static String plain(String text) {
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
