package io.leasekit.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks of what callers give, each with an error that names what was seen, what was expected and where. */
@Internal
public final class Checks {

    public static final int MAX_KEY_BYTES = 2_048;
    /** The number of items that DynamoDB writes in one transaction. */
    public static final int MAX_KEYS = 100;

    public static final int MAX_NAME = 128;
    public static final int MAX_RUN_BYTES = 1_024;

    /** Stands between a lease's key and the name of a run that has an item of its own. */
    public static final String RUN_MARK = "#run=";

    public static final Duration MIN_TTL = Duration.ofSeconds(2);
    public static final Duration MAX_DURATION = Duration.ofDays(365);

    private static final int MAX_CHAR_BYTES = 3; // of a UTF-16 unit in UTF-8

    private Checks() {}

    public static void key(@Nullable String key) {
        if (key == null || key.isBlank()) {
            throw new IllegalArgumentException(
                    "Lease key is " + (key == null ? "null" : "blank") + ", expected a text with a visible character");
        }
        int bytes = key.length() <= MAX_KEY_BYTES / MAX_CHAR_BYTES ? 0 : key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " has " + bytes
                    + " bytes of UTF-8, expected at most " + MAX_KEY_BYTES);
        }
    }

    public static void token(long token, String key) {
        if (token < 1) {
            throw new IllegalArgumentException("fencingToken is " + token + where(key)
                    + ", expected that of the lease to release, as 'find' tells it");
        }
    }

    /** Returns the keys in one order for all callers. */
    public static List<String> keys(Collection<String> keys) {
        if (keys.isEmpty() || keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException("Lease of " + keys.size() + " keys, expected from 1 to " + MAX_KEYS
                    + ": DynamoDB writes no more in one transaction");
        }
        if (keys.size() == 1) {
            String only = keys.iterator().next();
            leaseKey(only);
            return List.of(only);
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

    public static void name(@Nullable String name, String key) {
        if (name == null || name.isBlank() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException("name is " + (name == null ? "null" : Text.quote(name)) + where(key)
                    + ", expected a text with a visible character and at most " + MAX_NAME + " characters");
        }
    }

    /** A key that a lease may be asked for. */
    public static void leaseKey(@Nullable String key) {
        key(key);
        if (key != null && isRunItem(key)) {
            throw new IllegalArgumentException("Lease key " + Text.quote(key) + " contains '" + RUN_MARK
                    + "', which is kept for the items of runs");
        }
    }

    /** Whether this is the key of an item that only remembers a run. */
    public static boolean isRunItem(String key) {
        return key.contains(RUN_MARK);
    }

    public static void run(@Nullable String run, String key) {
        int bytes = run == null ? 0 : run.getBytes(StandardCharsets.UTF_8).length;
        if (run == null || run.isBlank() || bytes > MAX_RUN_BYTES) {
            throw new IllegalArgumentException("once is " + (run == null ? null : Text.quote(run)) + " (" + bytes
                    + " bytes of UTF-8)" + where(key) + ", expected a text with a visible character and at most "
                    + MAX_RUN_BYTES + " bytes");
        }
    }

    public static void ttl(Duration ttl, String key) {
        if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(
                    "ttl is " + ttl + where(key) + ", expected between " + MIN_TTL + " and " + MAX_DURATION);
        }
    }

    public static void positive(Duration value, String name, String key) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " is " + value + where(key) + ", expected more than zero");
        }
    }

    public static void notNegative(Duration value, String name, String key) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + where(key) + ", expected zero or more");
        }
    }

    public static void heartbeat(Duration heartbeatInterval, Duration ttl, String key) {
        positive(heartbeatInterval, "heartbeatInterval", key);
        if (heartbeatInterval.compareTo(ttl.dividedBy(2)) > 0) {
            throw new IllegalArgumentException("heartbeatInterval is " + heartbeatInterval + where(key)
                    + ", expected at most half of the ttl of " + ttl);
        }
    }

    private static String where(String key) {
        return key.isEmpty() ? "" : " for lease key " + Text.quote(key);
    }
}
