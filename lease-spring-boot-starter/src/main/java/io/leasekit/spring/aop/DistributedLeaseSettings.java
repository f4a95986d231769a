package io.leasekit.spring.aop;

import io.leasekit.internal.Internal;
import java.util.Objects;

/** Settings of all annotated methods of an application. */
@Internal
public record DistributedLeaseSettings(String keyPrefix, boolean releaseInBackground) {

    public DistributedLeaseSettings {
        Objects.requireNonNull(keyPrefix, "keyPrefix");
    }
}
