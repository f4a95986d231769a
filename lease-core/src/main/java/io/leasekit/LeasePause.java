package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;

/**
 * A pause: until its end, no acquire of the keys that it covers is granted. Leases that are already held continue.
 *
 * @param keyOrPrefix the key; or, if it ends with {@code *}, the beginning of all covered keys
 * @param until the end of the pause, by DynamoDB's time
 * @param by the person or process that paused
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
