package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a run as the table shows it, for display only; the work itself uses {@link Progress}. Immutable, so
 * thread-safe.
 *
 * @param run the name of the run; {@code null} if the run has no name
 * @param savedAt the time of the last save by DynamoDB's clock, exact to about a second; {@code null} if the time is
 *     unknown
 * @param bytes the size of the saved value
 * @param text the first 200 characters of the saved value; {@code null} if the value is not printable text in UTF-8
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
