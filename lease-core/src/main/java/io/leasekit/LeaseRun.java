package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last run of a key's work, as the item shows it. {@link LeaseRequest#once(String)} depends on the {@link #name};
 * all other values are for people. Immutable, so thread-safe.
 *
 * @param name the name of the last completed run, or the slot of a scheduled job; {@code null} if no run had a name
 * @param owner the owner that executed the run; {@code null} if the table does not show it
 * @param begunAt the start of the run by DynamoDB's clock, exact to about a second; {@code null} if the table does not
 *     show it
 * @param outcome the outcome of the run; {@code null} if the table does not show it
 * @param duration the duration of the run; {@code null} if the table does not show it
 */
public record LeaseRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable LeaseRunOutcome outcome,
        @Nullable Duration duration) {

    /**
     * Returns whether {@link LeaseManager#runAgain} has allowed this run, and no run was done since. In that case,
     * {@link #name} is not the name of the run, but a text that sorts just before it.
     */
    public boolean isToRunAgain() {
        return name != null && name.endsWith(Character.toString(Character.MAX_CODE_POINT));
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
