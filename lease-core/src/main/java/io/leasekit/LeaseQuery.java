package io.leasekit;

import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * A query for {@link LeaseManager#list(LeaseQuery)}: which keys to list, and which page. Immutable: the methods with a
 * parameter return a changed copy. Thread-safe.
 */
public final class LeaseQuery {

    /** The largest number of leases on a page. */
    public static final int MAX_LIMIT = 100;

    private final String prefix;
    private final int limit;
    private final @Nullable String after;

    private LeaseQuery(String prefix, int limit, @Nullable String after) {
        this.prefix = prefix;
        this.limit = limit;
        this.after = after;
    }

    /** Returns a query for all leases, in pages of {@value #MAX_LIMIT}. */
    public static LeaseQuery all() {
        return startingWith("");
    }

    /**
     * Returns a query for the leases whose keys start with this prefix, in pages of {@value #MAX_LIMIT}; an empty
     * prefix matches all keys.
     *
     * @throws IllegalArgumentException if the prefix contains an unpaired surrogate
     */
    public static LeaseQuery startingWith(String prefix) {
        Checks.wellFormed("prefix", prefix);
        return new LeaseQuery(prefix, MAX_LIMIT, null);
    }

    /**
     * Returns a copy of this query with at most this number of leases on a page.
     *
     * @throws IllegalArgumentException if the limit is less than 1 or more than {@value #MAX_LIMIT}
     */
    public LeaseQuery limit(int value) {
        if (value < 1 || value > MAX_LIMIT) {
            throw new IllegalArgumentException("limit is " + value + ", expected between 1 and " + MAX_LIMIT);
        }
        return new LeaseQuery(prefix, value, after);
    }

    /**
     * Returns a copy of this query for the next page.
     *
     * @param value the {@link LeasePage#next()} of the previous page; {@code null} for the first page
     * @throws IllegalArgumentException if the value is blank, longer than 2,048 bytes of UTF-8, or contains an unpaired
     *     surrogate
     */
    public LeaseQuery after(@Nullable String value) {
        if (value != null) {
            Checks.key(value);
        }
        return new LeaseQuery(prefix, limit, value);
    }

    /** Returns the prefix of the keys to list; an empty prefix matches all keys. */
    public String prefix() {
        return prefix;
    }

    /** Returns the maximum number of leases on a page. */
    public int limit() {
        return limit;
    }

    /** Returns the value that was passed to {@link #after(String)}; {@code null} for the first page. */
    public @Nullable String after() {
        return after;
    }

    @Override
    public String toString() {
        return Text.record("LeaseQuery", "prefix, limit, after", prefix, limit, after);
    }
}
