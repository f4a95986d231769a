package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquire that shows why no lease was granted. An empty result alone does not show the
 * reason. Thread-safe.
 */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would throw instead of the empty result of this acquire;
     * {@code null} if the acquire has not ended yet or was granted.
     */
    @Nullable
    RuntimeException refusal();
}
