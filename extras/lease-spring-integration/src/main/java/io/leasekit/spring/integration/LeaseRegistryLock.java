package io.leasekit.spring.integration;

import io.leasekit.Lease;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.Lock;

/**
 * A lock of a {@link LeaseLockRegistry}. The lock is reentrant, and is owned by the thread that has locked it. The lock
 * behaves like the {@link io.leasekit.LeaseLock} of the same key. Unlike {@code LeaseLock.unlock}, {@link #unlock()}
 * throws a {@link ConcurrentModificationException} if the lock was lost, as Spring Integration specifies. On Spring
 * Integration 7, the lock is also a {@code DistributedLock}.
 *
 * <p>While {@link #lease()} is valid, no other thread of any process has the lock. The lock can be lost while it is
 * held, for example if the table is unreachable for longer than the ttl. A loss does not stop the owner's code;
 * {@link Lease#lost()} reports the loss at once.
 *
 * <p>A thread that locks a lost lock again without unlocking it first gets a {@link io.leasekit.LeaseLostException}.
 * Store failures are thrown as {@link io.leasekit.LeaseStoreException}. Locks of the same registry and key are equal.
 * {@link Lock#newCondition()} is not supported. Thread-safe; there is nothing to close.
 */
public interface LeaseRegistryLock extends Lock {

    /**
     * Locks as {@link #lock()} does, under a lease with this ttl. The lease is renewed, so the ttl does not limit how
     * long the lock can be held. If this process dies, other processes can lock the lock after the ttl has passed. If
     * the calling thread already owns the lock, the lease keeps its previous ttl.
     *
     * @throws IllegalArgumentException if the ttl is shorter than 2 s or longer than 365 days, or if the request has a
     *     heartbeat interval of more than half the ttl
     */
    void lock(Duration ttl);

    /**
     * Locks as {@link #lock(Duration)} does, but waits for at most {@code waitTime}. If {@code waitTime} is zero or
     * negative, this method does not wait.
     *
     * @return whether the calling thread owns the lock. The result is {@code false} if other threads of any process
     *     held the lock, or a lease of its key, for all of {@code waitTime}, or if the key stayed paused
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt flag is
     *     cleared
     * @throws IllegalArgumentException if {@link #lock(Duration)} throws an {@code IllegalArgumentException} for this
     *     ttl
     */
    boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

    /**
     * Unlocks once. The calling thread must unlock the lock as often as it has locked it. The last unlock releases the
     * lease. After the last unlock, the thread no longer owns the lock, even if this method throws.
     *
     * @throws ConcurrentModificationException if the lock was lost, or if other code closed the lock's lease. In both
     *     cases, another thread or process may have owned the lock. Only the last unlock of a thread throws a
     *     {@code ConcurrentModificationException}. The cause of the exception is a {@link io.leasekit.LeaseException}
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; the message names the owning
     *     thread
     */
    @Override
    void unlock();

    /** Returns the key of the lease, as it is stored in the table. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and has not unlocked it yet. If the lock was lost, the
     * result is {@code true} until the thread unlocks. This method sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease of the lock, for example to call {@link Lease#fence()} or {@link Lease#conditionCheck()}.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();
}
