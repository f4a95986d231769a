package io.leasekit.internal;

import org.jspecify.annotations.Nullable;

/** A future of an asynchronous acquire, which also shows why the acquire got no lease. Thread-safe. */
@Internal
public interface AcquireRefusal {

    /**
     * Returns the exception that a blocking acquire would throw if it got no lease; {@code null} if this acquire has
     * not ended yet or the lease was granted.
     */
    @Nullable
    RuntimeException refusal();
}
