package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far the work of a run has come, as the table shows it, for people; the work itself uses {@link Progress}. Immutable, so
 * thread-safe.
 *
 * @param run the name of the run; {@code null} if it has none
 * @param savedAt the time of the last save by DynamoDB's clock, exact to about a second; {@code null} if it is not known
 * @param bytes the size of the saved value
 * @param text the saved value, of which at most the first 200 characters; {@code null} if it is not printable text in UTF-8
 */
public record LeaseProgress(
        @Nullable String run,
        @Nullable Instant savedAt,
        int bytes,
        @Nullable String text) {

    @Override
    public String toString() {
        return Text.record("LeaseProgress", "run, savedAt, bytes, text", run, savedAt, bytes, text);
    }
}
