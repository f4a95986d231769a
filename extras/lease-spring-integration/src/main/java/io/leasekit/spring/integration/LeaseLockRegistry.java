package io.leasekit.spring.integration;

import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.util.ClassUtils;

/**
 * A Spring Integration lock registry whose locks are leases. All processes that use the same table share the locks; see
 * {@link LeaseRegistryLock}.
 *
 * <p>A lock excludes other leases with the same key, for example the lease of a {@code @DistributedLease} method. All
 * registries of one manager share their locks: a thread that locks a key in one registry owns the key's lock in all of
 * them.
 *
 * <p>The manager renews the leases, so {@link #setRenewalTaskScheduler} has no effect. If a thread ends without
 * unlocking, its lock stays locked until one ttl after the manager is closed. To limit the time for which a lock stays
 * locked, create requests with {@link LeaseRequest#holdAtMost(Duration)}. When {@code holdAtMost} has passed, a lock is
 * lost even if its thread is still running.
 *
 * <p>This class implements Spring Integration's interfaces as raw types: the interfaces have type parameters in Spring
 * Integration 7, but not in 6.5. Thread-safe; there is nothing to close.
 */
@SuppressWarnings("rawtypes")
public final class LeaseLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

    private static final boolean HAS_TTL_LOCKS = ClassUtils.isPresent(
            "org.springframework.integration.support.locks.DistributedLock", LeaseLockRegistry.class.getClassLoader());

    private final LeaseManager leases;
    private final Function<String, LeaseRequest> requests;

    /**
     * Creates a registry. The key of a lock is also the key of the lock's lease. The leases of the locks have the
     * manager's default settings, for example the default ttl.
     */
    public LeaseLockRegistry(LeaseManager leases) {
        this(leases, LeaseRequest::of);
    }

    /**
     * Creates a registry with a function that returns the lease request for the key of a lock, such as {@code key ->
     * LeaseRequest.of("orders/" + key).ttl(Duration.ofSeconds(20))}.
     *
     * @param leases the manager that acquires the leases; the registry does not close the manager
     * @param requests the function that returns the lease request for the key of a lock. The function must be
     *     thread-safe. For the same lock key, the function must always return the same request. For different lock
     *     keys, the function must return requests with different lease keys
     */
    public LeaseLockRegistry(LeaseManager leases, Function<String, LeaseRequest> requests) {
        this.leases = leases;
        this.requests = requests;
    }

    /**
     * Returns the lock of this key. This method sends no request, and the registry does not store the lock. Two calls
     * with the same key return equal locks, which may be different objects.
     *
     * @param lockKey a string, number or UUID, whose {@code toString()} is the key
     * @throws IllegalArgumentException if the key is {@code null}
     * @throws IllegalArgumentException if the key is not a string, number or UUID, because other types may have
     *     different texts in different processes
     * @throws IllegalArgumentException if the key is blank, longer than 2,048 bytes of UTF-8 or contains {@code #run=}
     * @throws IllegalArgumentException if the function that was passed to the constructor returns a lease request with
     *     several keys, a run or a {@code waitFor}
     */
    @Override
    public LeaseRegistryLock obtain(Object lockKey) {
        LeaseRequest request = requests.apply(text(lockKey));
        var unused = leases.lock(request); // checks the request
        return HAS_TTL_LOCKS ? TtlLock.of(this, leases, request) : new RegistryLock(this, leases, request);
    }

    private static String text(@Nullable Object lockKey) {
        if (lockKey instanceof CharSequence || lockKey instanceof Number || lockKey instanceof UUID) {
            return lockKey.toString();
        }
        String seen = lockKey == null ? "null" : "a " + lockKey.getClass().getName();
        throw new IllegalArgumentException("Lock key is " + seen + ", expected a string, a number or a UUID:"
                + " each process must see the same text");
    }

    /** Does nothing: the registry stores no unused locks. */
    @Override
    public void expireUnusedOlderThan(long age) {
        // The registry stores no locks.
    }

    /**
     * Checks that the calling thread still owns the lock of this key. This method sends no request, because the manager
     * renews the lease.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     * @throws IllegalStateException if the lock was lost; the cause is a {@link LeaseException}
     * @throws IllegalArgumentException if {@link #obtain(Object)} throws an {@code IllegalArgumentException} for this
     *     key
     */
    @Override
    public void renewLock(Object lockKey) {
        LeaseRegistryLock lock = obtain(lockKey);
        try {
            lock.lease().ensureValid();
        } catch (LeaseException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /**
     * Checks that the calling thread still owns the lock of this key, as {@link #renewLock(Object)} does. The ttl of
     * the lease does not change; the manager renews the lease for as long as the lock is held.
     *
     * @param ttl not used
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        renewLock(lockKey);
    }
}
