package io.leasekit.spring;

import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.spring.context.LeaseFrame;
import java.time.Duration;
import java.util.Optional;

/**
 * The lease under which the calling code runs, as a method with {@link DistributedLease}, and what it calls, can ask for it.
 *
 * <p>It belongs to the thread that made the call: threads that the method starts, {@code @Async} methods that it calls, and
 * stages that complete elsewhere do not see it. Hand them the {@link Lease}.
 *
 * <p>Begins when the method is called and ends when it returns. Where calls are nested, it is the innermost. Thread-safe.
 */
public final class LeaseContext {

    private final Lease lease;

    private LeaseContext(Lease lease) {
        this.lease = lease;
    }

    /**
     * Returns the context of the calling thread.
     *
     * @throws IllegalStateException if the thread runs no method with {@link DistributedLease}
     */
    public static LeaseContext current() {
        return find().orElseThrow(() -> new IllegalStateException("Thread '"
                + Thread.currentThread().getName()
                + "' runs no method with @DistributedLease: the method was not called through its Spring bean, or the call"
                + " is on another thread"));
    }

    /** Returns the context of the calling thread; empty if it runs no method with {@link DistributedLease}. */
    public static Optional<LeaseContext> find() {
        return Optional.ofNullable(LeaseFrame.innermostLease()).map(LeaseContext::new);
    }

    /** Returns the lease. It is released for you: do not close it. */
    public Lease lease() {
        return lease;
    }

    /** Returns the lease's key, of several the first; see {@link Lease#key()}. */
    public String key() {
        return lease.key();
    }

    /** Returns the fencing token: larger than that of every lease that was granted for this key before. */
    public long fencingToken() {
        return lease.fencingToken();
    }

    /**
     * Returns the run that the call is for: of a scheduled method its slot, as {@code 2026-11-21T03:00:00Z}, else what
     * {@link DistributedLease#once()} yields; empty: for none.
     */
    public Optional<String> runName() {
        return lease.runName();
    }

    /** Returns how long the lease is valid if no renewal gets through; zero when it is not. Sends no request. */
    public Duration remaining() {
        return lease.remaining();
    }

    /**
     * Returns once the lease is known to be held, at once in most cases; see {@link Lease#ensureValid()}.
     *
     * @throws LeaseLostException if the lease is lost
     */
    public void ensureValid() {
        lease.ensureValid();
    }
}
