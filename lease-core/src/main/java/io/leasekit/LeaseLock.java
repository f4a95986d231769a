package io.leasekit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock of one key, shared by all processes that use the table: a {@link Lock} over leases, from
 * {@link LeaseManager#lock(String)}. A thread owns it and may lock it again; others wait.
 *
 * <p>It guarantees what a lease guarantees: while {@link #lease()} is valid, no other thread of any process has the
 * lock. Unlike a lock within one process, it can be lost while it is held, for example if the table cannot be reached
 * for longer than the ttl. A loss does not stop the owner's code. {@link #unlock()} reports the loss; {@link
 * Lease#lost()} of {@link #lease()} reports it at once, and its {@link Lease#fence()} makes late writes fail.
 *
 * <p>All locks that one manager returns for a key are the same lock: a thread that locked one of them may lock and
 * unlock any other. The lock and a lease of the same key exclude each other, even if one thread has both. A thread that
 * tries to get both waits for itself, in {@link #lock()} for ever.
 *
 * <p>A thread that ends without unlocking leaves the lock locked. Its lease is renewed until the manager closes, then
 * ends with its ttl. A request with {@link LeaseRequest#holdAtMost(java.time.Duration)} limits this time. Unlock in a
 * {@code finally} block.
 *
 * <p>Waiting threads of one process get the lock in the order in which they came. A wait ends with a {@link
 * LeaseException} if the manager closes, or if too many callers of this process wait for the key. While the store
 * cannot be reached, a method that waits retries. If its wait is limited, it finally fails with a {@link
 * LeaseStoreException}, like {@link LeaseManager#tryAcquire(LeaseRequest)}. Each method that locks throws an {@link
 * IllegalArgumentException} if the request's heartbeat interval is longer than half of its ttl, and a {@link LeaseException} if the
 * thread owns the lock but has closed its lease. Thread-safe; there is nothing to close.
 */
public interface LeaseLock extends Lock {

    /** Returns the key. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and not yet unlocked it, even if the lock was lost in
     * between. Sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease behind the lock. {@link #unlock()} closes it. If the caller closes it, others can get the lock.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();

    /**
     * Waits until the calling thread owns the lock, without a limit. An interrupt does not end the wait, but moves the
     * thread to the end of the queue of this process; the thread's interrupt flag is set when this method returns.
     * While the store cannot be reached, or its time is not known, the wait continues.
     *
     * @throws LeaseStoreException if the store rejects an attempt, for example because access is denied
     * @throws LeaseLostException if the calling thread owns the lock, but has lost it. It still has to unlock as often as
     *     it has locked
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     */
    @Override
    void lock();

    /**
     * Waits as {@link #lock()} does, but ends the wait when the thread is interrupted.
     *
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt flag is cleared,
     *     and anything that may have been written is released in the background
     * @throws LeaseStoreException if the store rejects an attempt
     * @throws LeaseLostException if the calling thread owns the lock, but has lost it
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Tries once to lock, and waits only for the answer of the store. An interrupt does not end the wait for the
     * answer.
     *
     * @return {@code false} if another thread, of any process, has the lock or a lease of the key, or it is paused
     * @throws LeaseStoreException if requests still fail when the store timeout is over, or if the store rejects an
     *     attempt
     * @throws LeaseLostException if the calling thread owns the lock, but has lost it
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     */
    @Override
    boolean tryLock();

    /**
     * Waits for at most this time until the calling thread owns the lock. A time of zero or less does not wait.
     *
     * @return {@code false} if another thread, of any process, had the lock or a lease of the key, or it was paused, all the time
     * @throws InterruptedException if the thread is interrupted before or during the wait; its interrupt flag is cleared,
     *     and anything that may have been written is released in the background
     * @throws LeaseStoreException if requests still fail when this time and the store timeout are both over, or if the
     *     store rejects an attempt
     * @throws LeaseLostException if the calling thread owns the lock, but has lost it
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Unlocks once. The last call, which matches the first lock, closes the lease as {@link Lease#close()} does, and the
     * thread no longer owns the lock, even if this method throws. If a clock has jumped, the last call first waits for
     * the renewal that shows whether the lease is still held, also if the thread is interrupted.
     *
     * @throws LeaseLostException if the lock was lost while it was locked; thrown by the last call only
     * @throws LeaseException if the lease was closed by another call while the lock was locked; thrown by the last call
     *     only
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; its text names the owner
     */
    @Override
    void unlock();

    /**
     * Not supported: a signal does not reach other processes.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();
}
