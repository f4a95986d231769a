package io.leasekit.spring.integration;

import io.leasekit.Lease;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.Lock;

/**
 * A lock of a {@link LeaseLockRegistry}. A thread owns it and may lock it again. It behaves as the {@link
 * io.leasekit.LeaseLock} of its key does, except that {@link #unlock()} reports a loss by the exception of Spring
 * Integration. On Spring Integration 7 it is a {@code DistributedLock} too.
 *
 * <p>It guarantees what a lease guarantees: while {@link #lease()} is valid, no other thread of any process has the
 * lock. The lock can be lost while it is held, for example if the table cannot be reached for longer than the ttl. A
 * loss does not stop the owner's code; {@link Lease#lost()} reports it at once.
 *
 * <p>If the owner has lost the lock and locks it again before it has unlocked, a {@link io.leasekit.LeaseLostException} is
 * thrown. Failures of the store are {@link io.leasekit.LeaseStoreException}s. Locks of one registry and one key are equal.
 * Conditions are not supported. Thread-safe; there is nothing to close.
 */
public interface LeaseRegistryLock extends Lock {

    /**
     * Locks as {@link #lock()} does, with a lease of this ttl. Heartbeats renew it, so the ttl is no limit of the hold: it
     * is the time after which another process can lock if this one dies. If the calling thread owns the lock already, the
     * lease keeps its ttl.
     *
     * @throws IllegalArgumentException if the ttl is shorter than 2 s or longer than 365 days, or if the request has a
     * heartbeat interval
     *     of more than half of it
     */
    void lock(Duration ttl);

    /**
     * Waits for at most this time until the calling thread owns the lock, with a lease of this ttl, as
     * {@link #lock(Duration)} does. A time of zero or less does not wait.
     *
     * @return {@code false} if another thread, of any process, had the lock or a lease of the key all the time
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt flag is cleared
     * @throws IllegalArgumentException for a ttl that {@link #lock(Duration)} refuses
     */
    boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

    /**
     * Unlocks once. The last call, which matches the first lock, releases the lease, and the thread no longer owns the
     * lock, even if this method throws.
     *
     * @throws ConcurrentModificationException if the lock was lost, or its lease was closed by another call, while it was
     *     locked: another thread or process may have had it. Thrown by the last call only; its cause is a
     *     {@link io.leasekit.LeaseException}
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; its text names the owner
     */
    @Override
    void unlock();

    /** Returns the key of the lease, as the table has it. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and not unlocked it, also if the lock was lost meanwhile.
     * Sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease behind the lock, for its {@link Lease#fence()} and {@link Lease#conditionCheck()}.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();
}
