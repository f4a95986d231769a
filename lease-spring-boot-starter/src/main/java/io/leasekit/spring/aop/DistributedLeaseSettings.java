package io.leasekit.spring.aop;

import io.leasekit.internal.Internal;
import java.util.Objects;

/**
 * Settings of all annotated methods of an application.
 *
 * @param keyPrefix the text before each key of an annotated method; may be empty
 * @param releaseInBackground whether a call returns without waiting for its release
 */
@Internal
public record DistributedLeaseSettings(String keyPrefix, boolean releaseInBackground) {

    /** Rejects a missing prefix. */
    public DistributedLeaseSettings {
        Objects.requireNonNull(keyPrefix, "keyPrefix");
    }
}
