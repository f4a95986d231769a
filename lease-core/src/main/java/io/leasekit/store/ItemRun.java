package io.leasekit.store;

import io.leasekit.internal.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last run that an item records. Only the {@link #name} decides anything; the rest is for people.
 *
 * @param name the name of the last run that is done; {@code null}: no run had a name
 * @param owner the owner that ran it; {@code null}: not recorded
 * @param begunAt the time at which it began; {@code null}: not recorded
 * @param outcome how it ended, as the engine's text for it; {@code null}: not recorded
 * @param duration how long it took; {@code null}: not recorded
 */
public record ItemRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable String outcome,
        @Nullable Duration duration) {

    /** Returns whether a run of that name counts as done: its name is not above this one's, compared as DynamoDB does. */
    public boolean covers(String run) {
        return name != null && compare(name, run) >= 0;
    }

    /** Compares byte by byte of UTF-8, which differs from {@link String#compareTo} beyond the basic plane. */
    private static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return Text.record(
                "ItemRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
