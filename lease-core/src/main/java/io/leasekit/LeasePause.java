package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;

/**
 * A pause: until it ends, no acquire of the covered keys is granted. Leases that are already held continue.
 *
 * @param keyOrPrefix the key; if it ends with {@code *}, the common beginning of all covered keys
 * @param until the end of the pause, by DynamoDB's time
 * @param by the person or process that paused the keys
 * @param reason the reason, for people
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
