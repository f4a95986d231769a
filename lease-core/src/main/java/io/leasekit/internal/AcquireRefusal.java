package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquire. An empty result does not say why the lease was refused; this does. Thread-safe.
 */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would throw in place of the empty result; {@code null} if the
     * future is not complete or has a lease.
     */
    @Nullable
    RuntimeException refusal();
}
