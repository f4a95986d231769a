package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An acquire that waits, as it was when {@link LeaseManager#waiting()} was called. Immutable, so thread-safe.
 *
 * @param key the key of the lease that it waits for, of several the first
 * @param name the request's name; {@code null}: it has none
 * @param waitedFor how long it has waited so far
 */
public record LeaseWait(String key, @Nullable String name, Duration waitedFor) {
    @Override
    public String toString() {
        return Text.record("LeaseWait", "key, name, waitedFor", key, name, waitedFor);
    }
}
