package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;

/**
 * A pause of one or several keys. Until the pause ends, no acquire of a paused key is granted. Leases that are already
 * held are renewed as usual.
 *
 * @param keyOrPrefix the paused key; or a prefix followed by {@code *}, which pauses all keys with that prefix
 * @param until the end of the pause, by DynamoDB's time
 * @param by the name of the person or process that paused the keys
 * @param reason the reason of the pause, for display
 */
public record LeasePause(String keyOrPrefix, Instant until, String by, String reason) {

    private static final String ANY = "*";

    /** Returns whether this pause covers the key. */
    public boolean covers(String key) {
        return keyOrPrefix.endsWith(ANY)
                ? key.startsWith(keyOrPrefix.substring(0, keyOrPrefix.length() - ANY.length()))
                : key.equals(keyOrPrefix);
    }

    @Override
    public String toString() {
        return Text.record("LeasePause", "keyOrPrefix, until, by, reason", keyOrPrefix, until, by, reason);
    }
}
