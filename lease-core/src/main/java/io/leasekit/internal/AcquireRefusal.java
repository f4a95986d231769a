package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquire that gives the reason of a refusal, which an empty result does not show.
 * Thread-safe.
 */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would throw where this one returns an empty result; {@code null} if
     * the acquire is not complete or was granted.
     */
    @Nullable
    RuntimeException refusal();
}
