package io.leasekit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} that is backed by leases of one key and shared by all processes that use the table; see
 * {@link LeaseManager#lock(String)}. The thread that owns the lock may lock it again. Other threads wait.
 *
 * <p>A lock guarantees what its lease guarantees: while {@link #lease()} is valid, no other thread of any process has
 * the lock. Unlike a lock within one process, this lock can be lost while it is held, for example if the table cannot
 * be reached for longer than the ttl. A loss does not stop the owner's code. {@link #unlock()} reports the loss; the
 * stage {@link Lease#lost()} reports it at once. A {@link Lease#fence() fence} makes late writes fail.
 *
 * <p>All locks that one manager returns for a key are the same lock: a thread that locked one of them may lock and
 * unlock any other. The lock and a lease of the same key exclude each other, even in one thread. A thread that holds
 * one of them and requests the other waits for itself, in {@link #lock()} for ever.
 *
 * <p>Unlock in a {@code finally} block. If a thread ends without unlocking, the lock stays locked: its lease is renewed
 * until the manager closes, and then expires. {@link LeaseRequest#holdAtMost(java.time.Duration)} limits this time.
 *
 * <p>Waiting threads of one process get the lock in the order of their calls. While the store cannot be reached, a
 * waiting method retries. If its wait is limited, it finally fails with a {@link LeaseStoreException}.
 *
 * <p>Each method that locks throws an {@link IllegalArgumentException} if the request's heartbeat interval is longer
 * than half of its ttl. Such a method throws a {@link LeaseException} if the calling thread owns the lock but has
 * closed its lease. Thread-safe; there is nothing to close.
 */
public interface LeaseLock extends Lock {

    /** Returns the key. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and not yet unlocked it, even if the lock was lost
     * meanwhile. Sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease of this lock. {@link #unlock()} closes the lease. If the caller closes it, others can get the
     * lock.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();

    /**
     * Waits without a limit until the calling thread owns the lock. An interrupt does not end the wait, but moves the
     * thread to the end of the queue of this process. The thread's interrupt flag is set again when this method
     * returns. The wait continues while the store cannot be reached or the store's time is unknown.
     *
     * @throws LeaseStoreException if the store rejects an attempt, for example because access is denied
     * @throws LeaseLostException if the calling thread owns the lock, but has lost it. The thread must still unlock as
     *     often as it has locked
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     */
    @Override
    void lock();

    /**
     * Waits as {@link #lock()} does, but ends the wait when the thread is interrupted. Throws the exceptions of
     * {@link #lock()}.
     *
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt flag is
     *     cleared, and anything that may have been written is released in the background
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Tries once to lock, and waits only for the answer of the store. An interrupt does not end this wait. Throws the
     * exceptions of {@link #lock()}.
     *
     * @return {@code false} if another thread, of any process, has the lock or a lease of the key, or the key is paused
     * @throws LeaseStoreException if requests still fail when the store timeout is over
     */
    @Override
    boolean tryLock();

    /**
     * Waits for at most this time until the calling thread owns the lock. A time of zero or less does not wait. Throws
     * the exceptions of {@link #lockInterruptibly()}.
     *
     * @return {@code false} if, for all this time, another thread of any process had the lock or a lease of the key, or
     *     the key was paused
     * @throws InterruptedException if the thread is interrupted before or during the wait
     * @throws LeaseStoreException if requests still fail when both this time and the store timeout are over
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Unlocks once. If the thread has locked several times, only the last call, which matches the first lock, has an
     * effect on the lease: it closes the lease as {@link Lease#close()} does. From then on, the thread does not own the
     * lock, even if this method throws. After a clock jump, the last call first waits for the renewal that shows
     * whether the lease is still held; an interrupt does not end this wait.
     *
     * @throws LeaseLostException if the lock was lost while it was locked; thrown by the last call only
     * @throws LeaseException if another call closed the lease while the lock was locked; thrown by the last call only
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; the message names the owner
     */
    @Override
    void unlock();

    /**
     * Not supported, because a signal does not reach other processes.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();
}
