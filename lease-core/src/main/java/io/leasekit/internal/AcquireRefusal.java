package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/** A future of an asynchronous acquire, which also shows why the acquire got no lease. Thread-safe. */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would have thrown; {@code null} if the acquire has not ended or got
     * the lease.
     */
    @Nullable
    RuntimeException refusal();
}
