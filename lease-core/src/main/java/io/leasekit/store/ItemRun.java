package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last run that an item records. Only the {@link #name} affects acquires; the other components are for people.
 *
 * @param name the name of the last run that is done; {@code null}: no recorded run had a name
 * @param owner the owner that executed the run; {@code null}: not recorded
 * @param begunAt the start of the run; {@code null}: not recorded
 * @param outcome the engine's text for the outcome; {@code null}: not recorded
 * @param duration the duration of the run; {@code null}: not recorded
 */
@Internal
public record ItemRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable String outcome,
        @Nullable Duration duration) {

    /**
     * Returns whether the run with this name is done, which means that the name is not above the recorded name in
     * DynamoDB's order.
     */
    public boolean covers(String run) {
        return name != null && Text.compareAsDynamoDb(name, run) >= 0;
    }

    @Override
    public String toString() {
        return Text.record(
                "ItemRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
