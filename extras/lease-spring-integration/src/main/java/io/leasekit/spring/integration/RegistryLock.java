package io.leasekit.spring.integration;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A lock that delegates to the manager's lock of the same key. Thread-safe. */
class RegistryLock implements LeaseRegistryLock {

    private final LeaseLockRegistry registry;
    private final LeaseManager leases;
    private final LeaseRequest request;

    RegistryLock(LeaseLockRegistry registry, LeaseManager leases, LeaseRequest request) {
        this.registry = registry;
        this.leases = leases;
        this.request = request;
    }

    // Gets the lock from the manager each time, because a manager bean has new locks after its application context
    // restarts.
    private LeaseLock lease(LeaseRequest wanted) {
        return leases.lock(wanted);
    }

    private LeaseLock own() {
        return lease(request);
    }

    @Override
    public final String key() {
        return request.key();
    }

    @Override
    public final void lock() {
        own().lock();
    }

    @Override
    public final void lock(Duration ttl) {
        lease(request.ttl(ttl)).lock();
    }

    @Override
    public final void lockInterruptibly() throws InterruptedException {
        own().lockInterruptibly();
    }

    @Override
    public final boolean tryLock() {
        return own().tryLock();
    }

    @Override
    public final boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return own().tryLock(time, unit);
    }

    @Override
    public final boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return lease(request.ttl(ttl)).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
    }

    @Override
    public final void unlock() {
        try {
            own().unlock();
        } catch (LeaseException e) {
            throw new ConcurrentModificationException(e.getMessage(), e);
        }
    }

    @Override
    public final Condition newCondition() {
        return own().newCondition();
    }

    @Override
    public final boolean isHeldByCurrentThread() {
        return own().isHeldByCurrentThread();
    }

    @Override
    public final Lease lease() {
        return own().lease();
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof RegistryLock lock
                && lock.registry == registry
                && lock.key().equals(key());
    }

    @Override
    public final int hashCode() {
        return key().hashCode();
    }

    @Override
    public final String toString() {
        return own().toString();
    }
}
