package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import java.time.Instant;
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

    @Override
    public String toString() {
        return Text.record(
                "LeaseRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
