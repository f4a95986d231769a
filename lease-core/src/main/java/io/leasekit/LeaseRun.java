package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last run of the work that a key stands for, as its item shows it. Only the {@link #name} has an effect, on
 * {@link LeaseRequest#once(String)}; the rest is for people. Immutable, so thread-safe.
 *
 * @param name the name of the last run that is done, for a scheduled job its slot; {@code null} if no run had a name
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

    /** Returns whether it has been allowed to be run again, and no run is done since. Then its name is a text just below its own. */
    public boolean isToRunAgain() {
        return name != null && name.endsWith(Character.toString(Character.MAX_CODE_POINT));
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
