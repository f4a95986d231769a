package io.leasekit.spring.aop;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A method that runs under a lease, as its annotation says it, and what was skipped of its calls since the start.
 *
 * @param method the method's qualified name
 * @param name what its lease is called in meters: the annotation's key as written, or the default key
 * @param manager the name of its manager; empty: the only or primary one
 * @param key the key, prefix included; {@code null}: it depends on the call, or there are several
 * @param scheduled whether it has {@code @Scheduled}
 * @param skippedUnavailable how many calls were skipped because another held the lease
 * @param skippedStoreFailures how many calls were skipped because the store failed
 */
@Internal
public record LeasedMethod(
        String method,
        String name,
        String manager,
        @Nullable String key,
        boolean scheduled,
        long skippedUnavailable,
        long skippedStoreFailures) {}
