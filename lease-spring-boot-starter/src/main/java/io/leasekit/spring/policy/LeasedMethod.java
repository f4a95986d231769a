package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.schedule.Firing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method that runs under a lease, with its settings, and with counters of the calls since startup that got no lease.
 *
 * @param method the qualified name of the method
 * @param name the name of the lease in meters: the key as written in the annotation, or the default key
 * @param manager the name of the manager; empty for the only or primary manager
 * @param key the key with its prefix; {@code null} if the key differs between calls or there are several keys
 * @param keys all keys of the method, with their prefix
 * @param scheduled whether the method has {@code @Scheduled}
 * @param firings the last firings of the method on this node, newest first
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

    public LeasedMethod {
        keys = List.copyOf(keys);
        firings = List.copyOf(firings);
    }

    /**
     * A key of an annotated method, as far as it is known without a call.
     *
     * @param begin the key, or only the beginning that is the same in all calls if the key differs between calls
     * @param fixed whether the key is the same in every call
     */
    public record Key(String begin, boolean fixed) {}
}
