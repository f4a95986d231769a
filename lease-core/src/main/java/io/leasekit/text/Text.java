package io.leasekit.text;

import io.leasekit.internal.Internal;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Formats values, and escapes and masks untrusted texts, for logs and messages. Thread-safe. */
@Internal
public final class Text {

    /** A password can contain any character, so the pattern matches up to the last {@code @} of an address. */
    private static final Pattern CREDENTIALS = Pattern.compile("(?s)^((?:[^:/@]*:)?//)?.*@");

    private static final int MAX_LENGTH = 128;
    private static final int MAX_BRIEF = 300;
    private static final int MAX_WHY = 2_000;
    // The maximum number of characters of a text in which Leasekit searches for secrets.
    private static final int MAX_SEARCHED = 4_096;
    private static final int MAX_CAUSES = 20;
    private static final int MAX_KEYS = 3;
    private static final Pattern USER = Pattern.compile("//[^\\s'\"]+@");
    private static final Pattern ACCESS_KEY = Pattern.compile("\\b(?:AKIA|ASIA)[A-Z0-9]{8,}");

    /** After an unquoted, ambiguous name such as {@code token}, only an equals sign marks a secret. */
    private static final Pattern SECRET = Pattern.compile("(?i)((?:"
            + "(?:signature|token|credential|password|secret(?:[-_ ]?access)?(?:[-_ ]?key)?)[\"']?\\s{0,3}="
            + "|(?:(?:security|session)[-_ ]?token|secret[-_ ]?(?:access[-_ ]?)?key|password)[\"']?\\s{0,3}:"
            + "|[\"'](?:token|secret)[\"']\\s{0,3}:"
            + "|authorization[\"']?\\s{0,3}[:=]\\s{0,3}(?:(?:bearer|basic|aws4-hmac-sha256)\\s)?"
            + ")\\s{0,3}[\"']?)[^&,;\\s\"']+");

    private static final List<String> UNITS = List.of(" d", " h", " min");

    private Text() {}

    public static String quote(@Nullable String text) {
        return text == null ? "nobody" : "'" + plain(text).replace("'", "\\u0027") + "'";
    }

    public static String quoteAll(List<String> keys) {
        if (keys.size() == 1) {
            return quote(keys.get(0));
        }
        String first = keys.stream().limit(MAX_KEYS).map(Text::quote).collect(Collectors.joining(", "));
        return keys.size() <= MAX_KEYS ? first : first + " and " + (keys.size() - MAX_KEYS) + " more";
    }

    /** Formats a record as {@code Type[name=value, …]}. A comma and a space separate the {@code names}. */
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

    public static @Nullable Object value(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Text::value).toList();
        }
        if (value instanceof Duration duration) {
            return exact(duration);
        }
        return value instanceof String text ? quote(text) : value;
    }

    /** Describes a failure and its root cause, on one line without secrets, for readers who do not have the log. */
    public static String brief(Throwable failure) {
        Throwable root = causes(failure).reduce(failure, (outer, cause) -> cause);
        String text = named(failure);
        String cause = root.equals(failure) ? "" : named(root);
        return printable(cause.isEmpty() || text.contains(cause) ? text : text + "; cause: " + cause, MAX_BRIEF);
    }

    /** The number of causes is limited, because causes can form a cycle. */
    public static Stream<Throwable> causes(Throwable failure) {
        return Stream.<@Nullable Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(MAX_CAUSES)
                .map(Objects::requireNonNull);
    }

    /**
     * Compares UTF-8 bytes, because {@link String#compareTo} orders characters beyond U+FFFF differently from DynamoDB.
     */
    public static int compareAsDynamoDb(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    private static String named(Throwable failure) {
        String message = failure.getMessage();
        String name = failure.getClass().getSimpleName();
        return message == null || message.isBlank() ? name : name + ": " + message;
    }

    /**
     * Replaces secrets, such as access keys and passwords, by an ellipsis. Truncates a text of more than 4,096
     * characters.
     */
    public static String masked(String text) {
        String some = text.length() <= MAX_SEARCHED ? text : text.substring(0, MAX_SEARCHED);
        String withoutUsers = USER.matcher(some).replaceAll("//…@");
        return SECRET.matcher(ACCESS_KEY.matcher(withoutUsers).replaceAll("…")).replaceAll("$1…");
    }

    /** Returns the message of a failure, on one line without secrets. */
    public static String why(Throwable failure) {
        return printable(message(failure), MAX_WHY);
    }

    /** Returns a message of another system, on one line without secrets. */
    public static String line(@Nullable String message) {
        return printable(String.valueOf(message), MAX_WHY);
    }

    /** Adds the name of an unknown host, because the SDK's message for an unknown host lacks the name. */
    private static String message(Throwable failure) {
        String message = failure.getMessage() == null ? failure.getClass().getName() : failure.getMessage();
        String host = causes(failure)
                .filter(UnknownHostException.class::isInstance)
                .findFirst()
                .map(Throwable::getMessage)
                .orElse(null);
        return host == null || message.contains(host) ? message : message + " (unknown host: " + host + ")";
    }

    /** Removes the user and the password from an address. */
    public static String address(Object address) {
        return CREDENTIALS.matcher(String.valueOf(address)).replaceFirst("$1");
    }

    /** Rounds down to three digits or two units, as in {@code 9.99 s} or {@code 2 min 5 s}. */
    public static String duration(Duration duration) {
        return printed(duration, true);
    }

    /** Formats a duration without rounding, as in {@code 14 min 59.999999999 s}. */
    public static String exact(Duration duration) {
        return printed(duration, false);
    }

    private static String printed(Duration duration, boolean brief) {
        if (duration.equals(ChronoUnit.FOREVER.getDuration())) {
            return "unlimited";
        }
        if (duration.isNegative()) {
            // The smallest duration cannot be negated, because the result would overflow.
            boolean smallest = duration.toSeconds() == Long.MIN_VALUE;
            return "-" + printed((smallest ? duration.plusSeconds(1) : duration).negated(), brief);
        }
        if (duration.toSeconds() == 0 && duration.toNanosPart() > 0) {
            return fraction(duration.toNanosPart(), brief);
        }
        long[] amounts = {duration.toDays(), duration.toHoursPart(), duration.toMinutesPart()};
        List<String> parts = new ArrayList<>();
        int first = 0;
        while (first < amounts.length && amounts[first] == 0) {
            first++;
        }
        for (int unit = first; unit < amounts.length && !(brief && unit > first + 1); unit++) {
            if (amounts[unit] > 0) {
                parts.add(amounts[unit] + UNITS.get(unit));
            }
        }
        String seconds = brief && first < amounts.length - 1 ? "0" : seconds(duration, brief, first == amounts.length);
        if (!seconds.equals("0") || parts.isEmpty()) {
            parts.add(seconds + " s");
        }
        return String.join(" ", parts);
    }

    private static String seconds(Duration duration, boolean brief, boolean alone) {
        BigDecimal seconds =
                BigDecimal.valueOf(duration.toNanosPart(), 9).add(BigDecimal.valueOf(duration.toSecondsPart()));
        return number(brief && !alone ? seconds.setScale(0, RoundingMode.DOWN) : seconds, brief);
    }

    private static String fraction(int nanos, boolean brief) {
        int scale = nanos >= 1_000_000 ? 6 : nanos >= 1_000 ? 3 : 0;
        String unit = scale == 6 ? " ms" : scale == 3 ? " µs" : " ns";
        return number(BigDecimal.valueOf(nanos, scale), brief) + unit;
    }

    private static String number(BigDecimal value, boolean brief) {
        BigDecimal digits = brief ? value.round(new MathContext(3, RoundingMode.DOWN)) : value;
        return digits.signum() == 0 ? "0" : digits.stripTrailingZeros().toPlainString();
    }

    /** Escapes and truncates a text, and replaces secrets in the text. */
    public static String plain(String text) {
        return isPlain(text) ? text : printable(text, MAX_LENGTH);
    }

    /** Returns whether {@link #plain} certainly returns the text unchanged. */
    private static boolean isPlain(String text) {
        boolean plain = text.length() <= MAX_LENGTH;
        for (int i = 0; plain && i < text.length(); i++) {
            char c = text.charAt(i);
            // '=', ':', '@' and surrogates may be part of a secret, an address or a surrogate pair
            plain = c != '=' && c != ':' && c != '@' && !Character.isSurrogate(c) && isPrintable(c);
        }
        return plain && !ACCESS_KEY.matcher(text).find();
    }

    private static String printable(String text, int most) {
        String masked = masked(text);
        String some = beginning(masked, most);
        StringBuilder printed = new StringBuilder();
        some.codePoints().forEach(c -> append(printed, c));
        boolean isWhole = some.length() == masked.length() && text.length() <= MAX_SEARCHED;
        return isWhole ? printed.toString() : printed.append('…').toString();
    }

    public static String beginning(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean splitsPair = Character.isSurrogatePair(text.charAt(most - 1), text.charAt(most));
        return text.substring(0, splitsPair ? most - 1 : most);
    }

    private static void append(StringBuilder printed, int c) {
        if (isPrintable(c)) {
            printed.appendCodePoint(c);
        } else {
            printed.append(String.format("\\u%04x", c));
        }
    }

    private static boolean isPrintable(int c) {
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.SURROGATE
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.UNASSIGNED;
    }
}
