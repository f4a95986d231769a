package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run in the history of a key ({@link LeaseManagerBuilder#runHistory}), for display only. Immutable, so thread-safe.
 *
 * @param name the name of the run, or the slot of a scheduled job; {@code null} if the run had no name
 * @param owner the owner that executed the run; {@code null} if the owner is unknown
 * @param fencingToken the token of the run's lease, which distinguishes two runs with the same name
 * @param begunAt the start of the run by DynamoDB's clock, exact to about a second; {@code null} if the start is
 *     unknown
 * @param duration the duration of the run; {@code null} if the run was not finished
 * @param outcome the outcome of the run; {@code null} if the run was not finished. A run is not finished if its holder
 *     died, lost the lease, or gave up the acquire before the lease was granted
 * @param error the class of the error with which the run failed; {@code null} if the run did not fail or no error was
 *     reported
 */
public record LeasePastRun(
        @Nullable String name,
        @Nullable String owner,
        long fencingToken,
        @Nullable Instant begunAt,
        @Nullable Duration duration,
        @Nullable LeaseRunOutcome outcome,
        @Nullable String error) {

    /**
     * The {@link #error} that marks a history entry as a note: the {@link #owner} has allowed the run {@link #name} to
     * be executed again.
     */
    public static final String RUN_AGAIN = "run again";

    /**
     * Returns whether this history entry is a note that {@link LeaseManager#runAgain} has allowed a run to be executed
     * again.
     */
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
