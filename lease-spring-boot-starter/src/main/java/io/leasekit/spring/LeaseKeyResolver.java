package io.leasekit.spring;

import org.jspecify.annotations.Nullable;

/** Makes the lease key of one call; asked once per call. Thread-safe. */
@FunctionalInterface
interface LeaseKeyResolver {

    /**
     * Returns the key.
     *
     * @throws IllegalStateException if a part of the key has no value, or one that is not the same text in every process
     */
    String resolve(@Nullable Object target, @Nullable Object[] arguments);
}
