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
 * A lock registry of Spring Integration over leases. Its locks are shared by all processes that use the table; see
 * {@link LeaseRegistryLock}.
 *
 * <p>A lock and a lease of the same key exclude each other, for example that of a method with {@code
 * @DistributedLease}. All registries on one manager have the same locks: a thread that locked a key in one of them owns
 * it in the others, too.
 *
 * <p>Leases are renewed by their manager, so {@link #setRenewalTaskScheduler} has no effect. A thread that ends without
 * unlocking leaves its lock locked until the manager closes, and then for the ttl. Requests with {@link
 * LeaseRequest#holdAtMost(Duration)} limit this time, but also end a longer hold of a living thread.
 *
 * <p>The interfaces are implemented without type arguments, since only those of Spring Integration 7 have them.
 * Thread-safe; there is nothing to close.
 */
@SuppressWarnings("rawtypes")
public final class LeaseLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

    private static final boolean HAS_TTL_LOCKS = ClassUtils.isPresent(
            "org.springframework.integration.support.locks.DistributedLock", LeaseLockRegistry.class.getClassLoader());

    private final LeaseManager leases;
    private final Function<String, LeaseRequest> requests;

    /** Creates a registry whose locks have the keys of their callers and the settings of the manager. */
    public LeaseLockRegistry(LeaseManager leases) {
        this(leases, LeaseRequest::of);
    }

    /**
     * Creates a registry with other keys or settings, such as
     * {@code key -> LeaseRequest.of("orders/" + key).ttl(Duration.ofSeconds(20))}.
     *
     * @param leases acquires the leases; the registry does not close it
     * @param requests returns the request for the key of a lock. It must return the same request for the same key each
     *     time, and different lease keys for different keys. It
     *     must be thread-safe
     */
    public LeaseLockRegistry(LeaseManager leases, Function<String, LeaseRequest> requests) {
        this.leases = leases;
        this.requests = requests;
    }

    /**
     * Returns the lock of this key. Sends no request and keeps nothing. Two calls with one key return equal locks, which
     * need not be the same object.
     *
     * @param lockKey a string, number or UUID; its text is the key
     * @throws IllegalArgumentException if the key is {@code null} or of another type, whose text may differ between
     *     processes; if it is blank, longer than 2,048 bytes of UTF-8 or contains {@code #run=}; or if its request has
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

    /** Does nothing: the registry keeps no lock that nobody has locked. */
    @Override
    public void expireUnusedOlderThan(long age) {
        // see above
    }

    /**
     * Checks that the calling thread still has this lock. Heartbeats renew the lock's lease, so this method sends no
     * renewal.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     * @throws IllegalStateException if the lock was lost; its cause is a {@link LeaseException}
     * @throws IllegalArgumentException for a key that {@link #obtain(Object)} refuses
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
     * Checks as {@link #renewLock(Object)} does. The lease keeps the ttl with which it was locked; heartbeats keep it for
     * longer than any ttl.
     *
     * @param ttl not used
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        renewLock(lockKey);
    }
}
