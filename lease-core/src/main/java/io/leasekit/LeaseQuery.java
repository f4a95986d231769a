package io.leasekit;

import io.leasekit.internal.Checks;
import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * What {@link LeaseManager#list(LeaseQuery)} is asked for: which leases, and which page of them. Immutable: the methods with
 * a parameter return a changed copy. Thread-safe.
 */
public final class LeaseQuery {

    /** The largest page. */
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

    /** Returns a query for the leases whose keys begin with this text, in pages of {@value #MAX_LIMIT}; empty: all. */
    public static LeaseQuery startingWith(String prefix) {
        return new LeaseQuery(prefix, MAX_LIMIT, null);
    }

    /**
     * Returns a copy with smaller pages.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than {@value #MAX_LIMIT}
     */
    public LeaseQuery limit(int value) {
        if (value < 1 || value > MAX_LIMIT) {
            throw new IllegalArgumentException("limit is " + value + ", expected between 1 and " + MAX_LIMIT);
        }
        return new LeaseQuery(prefix, value, after);
    }

    /**
     * Returns a copy for the page that begins where another one ended.
     *
     * @param value that page's {@link LeasePage#next()}; {@code null}: the first page
     * @throws IllegalArgumentException if it is blank or longer than 2,048 bytes of UTF-8
     */
    public LeaseQuery after(@Nullable String value) {
        if (value != null) {
            Checks.key(value);
        }
        return new LeaseQuery(prefix, limit, value);
    }

    /** Returns what the keys begin with; empty: any. */
    public String prefix() {
        return prefix;
    }

    /** Returns how many leases a page has at most. */
    public int limit() {
        return limit;
    }

    /** Returns where the page begins; {@code null}: it is the first. */
    public @Nullable String after() {
        return after;
    }

    @Override
    public String toString() {
        return Text.record("LeaseQuery", "prefix, limit, after", prefix, limit, after);
    }
}
