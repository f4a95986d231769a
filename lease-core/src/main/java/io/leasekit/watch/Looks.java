package io.leasekit.watch;

import io.leasekit.LeaseInfo;
import io.leasekit.internal.Internal;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads leases from the table for watchers. Thread-safe. */
@Internal
@FunctionalInterface
public interface Looks {

    /** Returns the looks at one key. Sends no request. */
    Series of(String key);

    /** The looks at one key. One look at a time: not thread-safe. */
    @Internal
    @FunctionalInterface
    interface Series {

        /** Reads the lease by one strongly consistent read. The future fails if the read fails. */
        CompletableFuture<Seen> look();
    }

    /**
     * The result of a look.
     *
     * @param lease the lease that the table shows; {@code null} if there is no item
     * @param isOver whether the lease had surely ended before the look was sent
     * @param delayNanos the delay until the next look, in nanoseconds
     */
    @Internal
    record Seen(@Nullable LeaseInfo lease, boolean isOver, long delayNanos) {}
}
