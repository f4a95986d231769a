package io.leasekit.shedlock;

import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A ShedLock lock that is based on a lease. */
final class LeaseSimpleLock extends AbstractSimpleLock {

    private static final Duration SHORTEST = Duration.ofSeconds(2);

    private final Lease lease;
    private final LongSupplier nanoTime;
    // The time from the last extension to the end of its lockAtLeastFor; zero without an extension.
    private final Duration keep;
    private final long extendedNanos;

    private LeaseSimpleLock(LockConfiguration configuration, Lease lease, LongSupplier nanoTime, Duration keep) {
        super(configuration);
        this.lease = lease;
        this.nanoTime = nanoTime;
        this.keep = keep;
        this.extendedNanos = nanoTime.getAsLong();
    }

    /** The request of the lease already contains {@code lockAtLeastFor} as {@code holdAtLeast}. */
    static LeaseSimpleLock acquired(LockConfiguration configuration, Lease lease, LongSupplier nanoTime) {
        return new LeaseSimpleLock(configuration, lease, nanoTime, Duration.ZERO);
    }

    static Duration lockAtMostFor(LockConfiguration lock) {
        Duration atMost = lock.getLockAtMostFor();
        if (atMost.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("lockAtMostFor of lock '" + lock.getName() + "' is " + Text.exact(atMost)
                    + ", expected at least " + Text.exact(SHORTEST) + ", the shortest ttl of a lease");
        }
        return atMost;
    }

    @Override
    protected void doUnlock() {
        lease.release(rest());
    }

    private Duration rest() {
        // Uses monotonic time, because the lock would be held for too long if the wall clock stepped back.
        Duration rest = keep.minusNanos(nanoTime.getAsLong() - extendedNanos);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
        try {
            lease.extend(lockAtMostFor(extended));
        } catch (LeaseLostException e) {
            lease.close();
            return Optional.empty();
        }
        Duration rest = rest();
        Duration atLeast = extended.getLockAtLeastFor();
        return Optional.of(
                new LeaseSimpleLock(extended, lease, nanoTime, atLeast.compareTo(rest) < 0 ? rest : atLeast));
    }
}
