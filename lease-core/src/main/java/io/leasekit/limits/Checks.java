package io.leasekit.limits;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The limits of settings and requests, and checks of values against these limits. */
@Internal
public final class Checks {

    /** DynamoDB's limit for a partition key, in bytes of UTF-8. */
    public static final int MAX_KEY_BYTES = 2_048;

    /** DynamoDB writes at most 100 items in one transaction. */
    public static final int MAX_KEYS = 100;

    /** The maximum length of a lease's name, in characters. */
    public static final int MAX_NAME = 128;

    /** The maximum length of an owner name, in characters. */
    public static final int MAX_OWNER = 1_024;

    public static final int MAX_RUN_BYTES = 1_024;

    public static final int MAX_PROGRESS_BYTES = 32 * 1024;

    public static final int MAX_HISTORY = 50;

    public static final int MAX_HISTORY_CHARS = 32 * 1024;

    public static final int MAX_PAUSES_CHARS = 32_000;

    /** Separates the lease key from the run's name in the key of an item that records only a run. */
    public static final String RUN_MARK = "#run=";

    /** Separates the lease key from the slot number in the key of a permit's item. */
    public static final String PERMIT_MARK = "#permit=";

    /** The library reads this key, which never has an item, to get DynamoDB's time from the reply. */
    public static final String TIME_KEY = "leasekit-time";

    /** The key of the item that stores all pauses; no lease key begins with {@code #pauses}. */
    public static final String PAUSES_ITEM = "#pauses";

    /** The check of the AWS permissions sends requests for keys with this suffix, which no lease key may have. */
    public static final String PERMISSIONS_MARK = "#permissions";

    /** DynamoDB reads at most 100 items in one request. */
    public static final int MAX_PERMITS = 100;

    public static final Limit<Integer> PERMITS =
            new Limit<>(permits -> permits >= 1 && permits <= MAX_PERMITS, "from 1 to " + MAX_PERMITS);

    public static final Duration MIN_TTL = Duration.ofSeconds(2);

    public static final Duration MAX_DURATION = Duration.ofDays(365);

    public static final Duration MIN_RETENTION = Duration.ofMinutes(15);

    public static final Limit<Duration> POSITIVE =
            new Limit<>(value -> !value.isNegative() && !value.isZero(), "more than zero");

    public static final Limit<Duration> NOT_NEGATIVE = new Limit<>(value -> !value.isNegative(), "zero or more");

    public static final Limit<Duration> TTL = new Limit<>(
            ttl -> ttl.compareTo(MIN_TTL) >= 0 && ttl.compareTo(MAX_DURATION) <= 0,
            "between " + Text.exact(MIN_TTL) + " and " + Text.exact(MAX_DURATION));

    /** The limit of durations that are added to a point in time. */
    public static final Limit<Duration> POSITIVE_BOUNDED = new Limit<>(
            value -> !value.isNegative() && !value.isZero() && value.compareTo(MAX_DURATION) <= 0,
            "more than zero and at most " + Text.exact(MAX_DURATION));

    public static final Limit<Duration> RETENTION = new Limit<>(
            retention -> retention.compareTo(MIN_RETENTION) >= 0,
            "at least " + Text.exact(MIN_RETENTION) + ": a request applied late must still find the fencing token");

    public static final Limit<String> OWNER = text(MAX_OWNER);

    public static final Limit<String> APPLICATION = text(MAX_OWNER);

    public static final Limit<Integer> RUN_HISTORY =
            new Limit<>(runs -> runs >= 0 && runs <= MAX_HISTORY, "from 0 to " + MAX_HISTORY);

    public static final Limit<Integer> MAX_WAITERS = new Limit<>(waiters -> waiters >= 1, "at least 1");

    private static final Limit<String> NAME = text(MAX_NAME);

    private static final int MAX_CHAR_BYTES = 3; // a UTF-16 unit has at most this many bytes in UTF-8

    private Checks() {}

    private static Limit<String> text(int maxLength) {
        return new Limit<>(
                text -> !text.isBlank() && text.length() <= maxLength,
                "a text with a visible character and at most " + maxLength + " characters");
    }

    /** The limit of one kind of value, such as a ttl or a name. */
    @Internal
    public record Limit<T>(Predicate<T> rule, String expected) {

        public boolean accepts(T value) {
            return rule.test(value);
        }

        public void check(String name, T value) {
            check(name, value, "");
        }

        private void check(String name, T value, String key) {
            if (value instanceof String text) {
                wellFormed(name, text);
            }
            if (!accepts(value)) {
                throw error(name, value, key);
            }
        }

        private LimitException error(String name, @Nullable T value, String key) {
            return new LimitException(name, value, where(key), expected);
        }
    }

    public static void key(@Nullable String key) {
        if (key == null || key.isBlank()) {
            throw new IllegalArgumentException(
                    "Lease key is " + (key == null ? "null" : "blank") + ", expected a text with a visible character");
        }
        wellFormed("Lease key", key);
        int bytes = key.length() <= MAX_KEY_BYTES / MAX_CHAR_BYTES ? 0 : bytes(key);
        if (bytes > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " has " + bytes
                    + " bytes of UTF-8, expected at most " + MAX_KEY_BYTES);
        }
    }

    /** A lease key must not contain reserved parts of item keys, such as {@code #run=}. */
    public static void leaseKey(@Nullable String key) {
        key(key);
        if (key != null && isRunItem(key)) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " contains '" + RUN_MARK
                    + "', which is reserved for the items of runs");
        }
        if (key != null && key.contains(PERMIT_MARK)) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " contains '" + PERMIT_MARK
                    + "', which is reserved for the items of permits");
        }
        if (key != null && key.startsWith(PAUSES_ITEM)) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " begins with '" + PAUSES_ITEM
                    + "', which is reserved for the item of the pauses");
        }
        if (key != null && key.endsWith(PERMISSIONS_MARK)) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " ends with '" + PERMISSIONS_MARK
                    + "', which is reserved for the check of permissions");
        }
    }

    public static boolean isRunItem(String key) {
        return key.contains(RUN_MARK);
    }

    public static void permits(int value, String name, String key) {
        PERMITS.check(name, value, key);
    }

    /** Returns the keys in their natural order, so that all callers use the same order. */
    public static List<String> keys(Collection<String> keys) {
        if (keys.isEmpty() || keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException("Lease of " + keys.size() + " keys, expected from 1 to " + MAX_KEYS
                    + ": DynamoDB writes no more in one transaction");
        }
        Set<String> distinct = new TreeSet<>();
        for (String key : keys) {
            leaseKey(key);
            if (!distinct.add(key)) {
                throw new IllegalArgumentException(
                        "Lease key " + Text.quote(key) + " is named twice, expected each key once");
            }
        }
        return List.copyOf(distinct);
    }

    public static void token(long token, String key) {
        if (token < 1) {
            throw new IllegalArgumentException("fencingToken is " + token + where(key)
                    + ", expected the token of the lease to release, as 'find' returns it");
        }
    }

    public static void name(@Nullable String name, String key) {
        if (name == null) {
            throw NAME.error("name", name, key);
        }
        NAME.check("name", name, key);
    }

    public static void run(@Nullable String run, String key) {
        if (run != null) {
            wellFormed("once", run);
        }
        int bytes = run == null ? 0 : bytes(run);
        if (run == null || run.isBlank() || bytes > MAX_RUN_BYTES) {
            throw new IllegalArgumentException("once is " + Text.value(run) + " (" + bytes + " bytes of UTF-8)"
                    + where(key) + ", expected a text with a visible character and at most " + MAX_RUN_BYTES
                    + " bytes");
        }
    }

    public static void ttl(Duration ttl, String key) {
        TTL.check("ttl", ttl, key);
    }

    public static Duration extension(Duration value, String key) {
        POSITIVE_BOUNDED.check("extend", value, key);
        return value;
    }

    public static void positive(Duration value, String name, String key) {
        POSITIVE.check(name, value, key);
    }

    public static void notNegative(Duration value, String name, String key) {
        NOT_NEGATIVE.check(name, value, key);
    }

    /**
     * Refuses an ARN: some servers do not accept an ARN in batches and transactions, so only some leases would work.
     */
    public static void table(String name) {
        new Limit<String>(text -> !text.isBlank(), "the name of the table of leases").check("Table name", name);
        String ofArn = name.substring(name.lastIndexOf('/') + 1);
        new Limit<String>(
                        text -> !text.startsWith("arn:"),
                        "the name '" + ofArn
                                + "', because not all requests of leases take an ARN: give the client the region"
                                + " and credentials of the table's account")
                .check("Table name", name);
    }

    public static void onceRetention(Duration onceRetention, Duration retention) {
        new Limit<Duration>(
                        value -> value.compareTo(retention) >= 0, "at least the retention of " + Text.exact(retention))
                .check("onceRetention", onceRetention);
    }

    public static void heartbeat(Duration heartbeatInterval, Duration ttl, String key) {
        positive(heartbeatInterval, "heartbeatInterval", key);
        new Limit<Duration>(
                        interval -> interval.compareTo(ttl.dividedBy(2)) <= 0,
                        "at most half of the ttl of " + Text.exact(ttl))
                .check("heartbeatInterval", heartbeatInterval, key);
    }

    /**
     * UTF-8 replaces every unpaired surrogate by the same character, so two different texts could become one text in
     * the table.
     */
    public static void wellFormed(String name, String text) {
        if (!isWellFormed(text)) {
            throw new LimitException(
                    name,
                    text,
                    " with half of a surrogate pair",
                    "well-formed UTF-16: the table would store another text");
        }
    }

    public static boolean isWellFormed(String text) {
        return text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String where(String key) {
        return key.isEmpty() ? "" : " for lease key " + Text.quote(key);
    }
}
