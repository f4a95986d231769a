package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last run of the work under a key, as the table shows it. Only the {@link #name} decides whether a requested run
 * counts as done ({@link LeaseRequest#once(String)}). All values except the name are for display. Immutable, so
 * thread-safe.
 *
 * @param name the name of the last completed run; for a scheduled job, the time of its schedule; {@code null} if no run
 *     had a name
 * @param owner the owner that executed the run; {@code null} if the table shows no owner
 * @param begunAt the start of the run by DynamoDB's clock, exact to about a second; {@code null} if the table does not
 *     show the start
 * @param outcome the outcome of the run; {@code null} if the table does not show the outcome
 * @param duration the duration of the run; {@code null} if the table does not show the duration
 */
public record LeaseRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable LeaseRunOutcome outcome,
        @Nullable Duration duration) {

    /**
     * Returns whether {@link LeaseManager#runAgain} has allowed the last run to be executed again, and no run was done
     * since. If so, {@link #name} is not a run's name, but a text that sorts just before the last run's name.
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
