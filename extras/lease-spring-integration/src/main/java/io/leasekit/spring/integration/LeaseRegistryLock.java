package io.leasekit.spring.integration;

import io.leasekit.Lease;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.Lock;

/**
 * A lock of a {@link LeaseLockRegistry}. The lock is owned by a thread and reentrant. The lock behaves like the
 * {@link io.leasekit.LeaseLock} of the same key. The only difference is {@link #unlock()}: after a loss, {@code unlock}
 * throws the exception that Spring Integration specifies. On Spring Integration 7, the lock is also a
 * {@code DistributedLock}.
 *
 * <p>The lock has the guarantee of a lease: while {@link #lease()} is valid, no other thread of any process has the
 * lock. The lock can be lost while it is held, for example if the table is unreachable for longer than the ttl. A loss
 * does not stop the owner's code; {@link Lease#lost()} reports the loss at once.
 *
 * <p>A thread that has lost the lock must unlock it before it locks again. If the thread locks again without unlocking,
 * a {@link io.leasekit.LeaseLostException} is thrown. Store failures are thrown as
 * {@link io.leasekit.LeaseStoreException}. Locks of the same registry and key are equal. {@link Lock#newCondition()} is
 * not supported. Thread-safe; there is nothing to close.
 */
public interface LeaseRegistryLock extends Lock {

    /**
     * Locks as {@link #lock()} does, under a lease with this ttl. The lease is renewed, so the ttl does not limit how
     * long the lock can be held. If this process dies, another process can lock after the ttl. If the calling thread
     * already owns the lock, the ttl of the lease does not change.
     *
     * @throws IllegalArgumentException if the ttl is shorter than 2 s or longer than 365 days, or if the request has a
     *     heartbeat interval of more than half the ttl
     */
    void lock(Duration ttl);

    /**
     * Locks as {@link #lock(Duration)} does, but waits for at most {@code waitTime}. If {@code waitTime} is zero or
     * negative, this method does not wait.
     *
     * @return {@code false} if the lock was not free within {@code waitTime}, because other threads of any process had
     *     the lock or a lease of the key
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt flag is
     *     cleared
     * @throws IllegalArgumentException if {@link #lock(Duration)} refuses the ttl
     */
    boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException;

    /**
     * Unlocks once. The thread must unlock as often as it has locked. The last unlock releases the lease. After the
     * last unlock, the thread no longer owns the lock, even if this method throws.
     *
     * @throws ConcurrentModificationException if the lock was lost while it was locked, or if other code closed the
     *     lease. After the loss or the close, another thread or process may have had the lock. Only the last unlock
     *     throws this exception; the cause is a {@link io.leasekit.LeaseException}
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; the message names the owning
     *     thread
     */
    @Override
    void unlock();

    /** Returns the key of the lease, as it is stored in the table. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and has not unlocked it yet. A loss of the lock does not
     * change the result. This method sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease behind the lock, for example to call {@link Lease#fence()} or {@link Lease#conditionCheck()}.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();
}
