package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquire. It gives the reason of a refusal, which an empty result does not show.
 * Thread-safe.
 */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would throw in place of the empty result; {@code null} if the
     * acquire has not ended or was granted.
     */
    @Nullable
    RuntimeException refusal();
}
