package io.leasekit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last run of the work that a key stands for, as its item shows it. Only the {@link #name} decides anything, about
 * {@link LeaseRequest#once(String)}; the rest is for people.
 *
 * @param name the name of the last run that is done, for a scheduled job its slot; {@code null}: no run had a name
 * @param owner who ran it; {@code null}: the table does not show it
 * @param begunAt when it began, by DynamoDB's clock, to about a second; {@code null}: the table does not show it
 * @param outcome how it ended; {@code null}: the table does not show it
 * @param duration how long it took; {@code null}: the table does not show it
 */
public record LeaseRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable LeaseRunOutcome outcome,
        @Nullable Duration duration) {

    /** Returns whether a run of that name counts as done: its name is not above this one's, compared as DynamoDB does. */
    public boolean covers(String run) {
        return name != null && compare(name, run) >= 0;
    }

    /** What an item keeps of it: the name where it decides ({@code null}: nowhere), and the rest everywhere. */
    LeaseRun inItem(@Nullable String itsName) {
        return new LeaseRun(itsName, owner, begunAt, outcome, duration);
    }

    /** Byte by byte of UTF-8, which differs from {@link String#compareTo} beyond the basic plane. */
    private static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "LeaseRun[name=" + (name == null ? null : Text.quote(name)) + ", owner=" + Text.quote(owner)
                + ", begunAt=" + begunAt + ", outcome=" + outcome + ", duration=" + duration + "]";
    }
}
