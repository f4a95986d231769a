package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/** The future of an asynchronous acquire that shows why no lease was granted. Thread-safe. */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would throw instead of the empty result of this acquire;
     * {@code null} if the acquire has not ended yet or the lease was granted.
     */
    @Nullable
    RuntimeException refusal();
}
