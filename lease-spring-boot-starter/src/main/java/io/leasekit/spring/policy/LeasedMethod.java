package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.schedule.Firing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method that runs under a lease, with its settings and the numbers of calls without a lease since start-up.
 *
 * @param method the qualified name of the method
 * @param name the name of the lease in meters: the key as written in the annotation, or the default key
 * @param manager the name of the manager; empty for the only or primary one
 * @param key the key with its prefix; {@code null} if it differs between calls or there are several
 * @param keys all its keys, with their prefix
 * @param scheduled whether the method has {@code @Scheduled}
 * @param firings its last firings on this node, the latest first
 * @param permits the number of permits of the key; 0 for an exclusive lease
 * @param skippedUnavailable number of calls skipped because another owner held the lease
 * @param skippedPaused number of calls skipped because the lease was paused
 * @param skippedStoreFailures number of calls skipped because the store failed
 * @param failedStoreFailures number of calls that failed because the store failed
 */
@Internal
public record LeasedMethod(
        String method,
        String name,
        String manager,
        @Nullable String key,
        List<Key> keys,
        boolean scheduled,
        List<Firing> firings,
        int permits,
        long skippedUnavailable,
        long skippedPaused,
        long skippedStoreFailures,
        long failedStoreFailures) {

    /** Copies the lists. */
    public LeasedMethod {
        keys = List.copyOf(keys);
        firings = List.copyOf(firings);
    }

    /**
     * A key of a method.
     *
     * @param begin the key; the text that it begins with if it differs between calls
     * @param fixed whether it is the same in every call
     */
    public record Key(String begin, boolean fixed) {}
}
