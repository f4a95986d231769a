package io.leasekit.shedlock;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.log.CallLog;
import io.leasekit.text.Text;
import java.util.Optional;
import java.util.function.LongSupplier;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock provider for ShedLock whose locks are leases. {@code @SchedulerLock(name = "x")} and
 * {@code @DistributedLease("x")} exclude each other.
 *
 * <p>A lock is a {@linkplain LeaseRequest#passive() passive} lease. A passive lease is not renewed, so the lock ends
 * {@code lockAtMostFor} after the acquire. An unlock releases the lease, but other owners can acquire the lease only
 * when {@code lockAtLeastFor} has passed since the acquire. A lock is not reentrant. A lock does not record runs in the
 * table. So a {@code @SchedulerLock} method and a {@code @DistributedLease} method with the same name can both run for
 * the same scheduled time, one after the other.
 *
 * <p>The provider does not close the manager; the application closes the manager after the last use of a lock.
 * Thread-safe.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider {

    private static final Logger log = LoggerFactory.getLogger(LeaseLockProvider.class);
    private static final String FAILED = "Scheduled call under lease {} failed: {}";
    private static final String FAILED_TRACE = "Scheduled call under lease {} failed";

    private final LeaseManager leases;
    private final String keyPrefix;
    private final LongSupplier nanoTime;

    /** Creates a provider that uses the names of the locks as lease keys. */
    public LeaseLockProvider(LeaseManager leases) {
        this(leases, "");
    }

    /**
     * Creates a provider that forms each lease key from {@code keyPrefix} and the name of the lock. To share locks with
     * {@code @DistributedLease}, pass the value of the property {@code lease.key-prefix}. An empty {@code keyPrefix}
     * means no prefix.
     */
    public LeaseLockProvider(LeaseManager leases, String keyPrefix) {
        this(leases, keyPrefix, System::nanoTime);
    }

    LeaseLockProvider(LeaseManager leases, String keyPrefix, LongSupplier nanoTime) {
        this.leases = leases;
        this.keyPrefix = keyPrefix;
        this.nanoTime = nanoTime;
    }

    /**
     * Acquires the lock without waiting. Returns empty if another owner holds the lease, if the key is paused, or if a
     * released lease still keeps the key, for example because of {@code lockAtLeastFor}. If the calling thread runs a
     * {@code @DistributedLease} method that holds the lease, {@code lock} throws an {@link IllegalStateException}, so
     * that the run of the method fails. An empty result would make ShedLock skip the code under the lock, and the run
     * of the {@code @DistributedLease} method would count as successful.
     *
     * <p>The lock's {@code unlock} never fails because of the store; {@code LeaseManager} retries the release in the
     * background. The lock's {@code extend} never moves the end of {@code lockAtMostFor} or {@code lockAtLeastFor} to
     * an earlier time. If the lease was lost, {@code extend} returns empty. If the store does not confirm the
     * extension, {@code extend} throws a {@link LeaseStoreException}, and the lock may or may not be extended.
     *
     * @throws IllegalArgumentException if {@code lockAtMostFor} is shorter than 2 s or longer than 365 days, or if the
     *     name is blank, too long or contains {@code #run=}
     * @throws IllegalStateException if the calling thread runs a {@code @DistributedLease} method that holds the lease
     * @throws LeaseStoreException if the store has failed, or has rejected the acquire
     * @throws io.leasekit.LeaseInterruptedException if the thread is interrupted while it waits for the store
     * @throws io.leasekit.LeaseException if the manager is closed
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration lock) {
        LeaseRequest request = LeaseRequest.of(keyPrefix + lock.getName())
                .passive()
                .ttl(LeaseSimpleLock.lockAtMostFor(lock))
                .holdAtLeast(lock.getLockAtLeastFor());
        Optional<Lease> lease = acquired(request);
        if (lease.isEmpty() && LeasedCalls.hold(leases, request.key())) {
            throw new IllegalStateException("Lock " + Text.quote(lock.getName())
                    + " is requested by a call that already holds its lease " + Text.quote(request.key())
                    + " by @DistributedLease, so it would never be free for this call. Remove @SchedulerLock, or use different"
                    + " names");
        }
        return lease.map(held -> LeaseSimpleLock.acquired(lock, held, nanoTime));
    }

    /** A failed call is counted and logged like a failed call of a {@code @DistributedLease} method. */
    private Optional<Lease> acquired(LeaseRequest request) {
        try {
            return leases.tryAcquire(request);
        } catch (LeaseStoreException e) {
            CallLog.count(leases, request.key());
            LeasedCalls.logInstead(
                    e,
                    () -> CallLog.log(
                            leases,
                            () -> log.error(FAILED, name(request), Text.why(e)),
                            () -> log.debug(FAILED_TRACE, name(request), e)));
            throw e;
        }
    }

    private static String name(LeaseRequest request) {
        return Text.quote(request.key());
    }
}
