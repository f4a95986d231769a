package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.schedule.Firing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method that runs under a lease, with counters of the calls since startup that got no lease.
 *
 * @param name the name of the lease in meters: the key in the annotation, or the default key
 * @param manager the name of the manager; empty for the only or primary manager
 * @param key the key with the key prefix; {@code null} if the key differs between calls or there are several keys
 * @param firings the last firings of the method on this node, newest first
 * @param permits the number of permits of the key; 0 for an exclusive lease
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
     * A key of an annotated method, as far as the key is known without a call.
     *
     * @param begin the key, or the beginning of the key that is the same in all calls
     */
    public record Key(String begin, boolean fixed) {}
}
