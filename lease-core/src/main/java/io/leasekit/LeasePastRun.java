package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run in the history of a key ({@link LeaseManagerBuilder#runHistory}), for display only. Immutable, so thread-safe.
 *
 * @param name the name of the run; for a scheduled job, the time of its schedule; {@code null} if the run had no name
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
     * The {@link #error} of an entry that stands for a call of {@link LeaseManager#runAgain}, not for a run. The
     * {@link #owner} is the person who called {@code runAgain}.
     */
    public static final String RUN_AGAIN = "run again";

    /** Returns whether this entry stands for a call of {@link LeaseManager#runAgain}, not for a run. */
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
