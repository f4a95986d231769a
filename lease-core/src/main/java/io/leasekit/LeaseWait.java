package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a waiting acquire, taken by {@link LeaseManager#waiting()}. Immutable, so thread-safe.
 *
 * @param key the key of the requested lease; if the request has several keys, the first key
 * @param name the request's name; {@code null} if the request has no name
 * @param waitedFor the time that the acquire has waited so far
 */
public record LeaseWait(String key, @Nullable String name, Duration waitedFor) {
    @Override
    public String toString() {
        return Text.record("LeaseWait", "key, name, waitedFor", key, name, waitedFor);
    }
}
