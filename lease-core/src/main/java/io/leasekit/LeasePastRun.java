package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run in the history of a key ({@link LeaseManagerBuilder#runHistory}), for display only. Immutable, so thread-safe.
 *
 * @param name the name of the run, for a scheduled job its slot; {@code null} if it had none
 * @param owner the owner that executed it; {@code null} if it is not known
 * @param fencingToken the token of its lease, which distinguishes two runs with the same name
 * @param begunAt its start by DynamoDB's clock, exact to about a second; {@code null} if it is not known
 * @param duration its duration; {@code null} if it was not finished
 * @param outcome how it ended; {@code null}: it was not finished, because its holder died or lost the lease, or
 *     because the lease was granted so late that no caller had it
 * @param error the class of the error with which it failed; {@code null} if it did not fail, or no error was reported
 */
public record LeasePastRun(
        @Nullable String name,
        @Nullable String owner,
        long fencingToken,
        @Nullable Instant begunAt,
        @Nullable Duration duration,
        @Nullable LeaseRunOutcome outcome,
        @Nullable String error) {

    /** The {@link #error} of a line that is no run: its owner has allowed the run of this name to be run again. */
    public static final String RUN_AGAIN = "run again";

    /** Returns whether this is no run, but shows that {@link LeaseManager#runAgain} has allowed the run to be run again. */
    public boolean isRunAgain() {
        return outcome == null && RUN_AGAIN.equals(error);
    }

    @Override
    public String toString() {
        return Text.record(
                "LeasePastRun",
                "name, owner, fencingToken, begunAt, duration, outcome, error",
                name,
                owner,
                fencingToken,
                begunAt,
                duration,
                outcome,
                error);
    }
}
