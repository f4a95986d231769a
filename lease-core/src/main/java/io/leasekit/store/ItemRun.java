package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last run that an item records. Only its {@link #name} has an effect; the other components are for people.
 *
 * @param name the name of the last run that is done; {@code null}: no recorded run had a name
 * @param owner the owner that executed it; {@code null}: not recorded
 * @param begunAt the time of its start; {@code null}: not recorded
 * @param outcome the engine's text for its outcome; {@code null}: not recorded
 * @param duration its duration; {@code null}: not recorded
 */
@Internal
public record ItemRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable String outcome,
        @Nullable Duration duration) {

    /** Returns whether a run of that name is done: its name is not above the recorded one, in DynamoDB's order. */
    public boolean covers(String run) {
        return name != null && Text.compareAsDynamoDb(name, run) >= 0;
    }

    @Override
    public String toString() {
        return Text.record(
                "ItemRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
