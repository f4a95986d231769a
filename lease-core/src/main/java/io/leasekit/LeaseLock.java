package io.leasekit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} for all processes that use the table; see {@link LeaseManager#lock(String)}. To lock this lock, a
 * thread acquires a lease of the lock's key. The thread that owns the lock may lock it again; other threads wait.
 *
 * <p>A lock guarantees what its lease guarantees: while {@link #lease()} is valid, no other thread of any process has
 * the lock. Unlike a lock within one process, this lock can be lost while it is held, for example if the table cannot
 * be reached for longer than the ttl. A loss of the lock does not stop the owner's code. The stage {@link Lease#lost()}
 * reports the loss at once, and {@link #unlock()} throws a {@link LeaseLostException}. If the owner's writes carry a
 * {@link Lease#fence() fence}, late writes fail.
 *
 * <p>All lock objects that one manager returns for a key are the same lock: a thread that locked one object may lock
 * and unlock any other of these objects. The lock and a lease of the same key exclude each other, even in one thread. A
 * thread that holds the lock and also requests a lease of the same key waits for itself. A thread that holds a lease of
 * the key and calls {@link #lock()} also waits for itself, and {@link #lock()} never returns.
 *
 * <p>Unlock in a {@code finally} block. If a thread ends without unlocking, the lock stays locked: the manager renews
 * the lock's lease until the manager closes, so the lease does not expire earlier.
 * {@link LeaseRequest#holdAtMost(java.time.Duration)} limits the time for which the lock can stay locked.
 *
 * <p>Waiting threads of one process get the lock in the order of their calls. While the store cannot be reached, a
 * waiting method retries its requests. If the waiting method has a time limit, the method fails with a
 * {@link LeaseStoreException} when the limit is reached.
 *
 * <p>Each method that locks throws an {@link IllegalArgumentException} if the request's heartbeat interval is longer
 * than half of its ttl. Each method that locks throws a {@link LeaseException} if the calling thread owns the lock but
 * has closed the lock's lease. Thread-safe. A lock need not be closed.
 */
public interface LeaseLock extends Lock {

    /** Returns the key. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and not yet unlocked it. A loss of the lock does not
     * change the result. Sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease of this lock. {@link #unlock()} closes the lease. If the caller closes the lease, other threads
     * can get the lock.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();

    /**
     * Waits without a limit until the calling thread owns the lock. An interrupt does not end the wait, but moves the
     * thread to the end of the queue of this process. If the thread was interrupted, its interrupt flag is set again
     * when this method returns. This method waits on while the store cannot be reached or the store's time is unknown.
     *
     * @throws LeaseStoreException if the store rejects an attempt, for example because access is denied
     * @throws LeaseLostException if the calling thread has already locked the lock, but the lock was lost. The thread
     *     must still unlock as often as it has locked
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     */
    @Override
    void lock();

    /**
     * Waits as {@link #lock()} does, but ends the wait when the thread is interrupted. Throws the exceptions of
     * {@link #lock()}.
     *
     * @throws InterruptedException if the thread is interrupted before or during the wait. The thread's interrupt flag
     *     is cleared, and a lease that may have been written is released in the background
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Tries once to lock, and waits only for the answer of the store. An interrupt does not end the wait for the
     * store's answer. Throws the exceptions of {@link #lock()}.
     *
     * @return whether the calling thread owns the lock. {@code false} if another thread of any process owns the lock or
     *     holds a lease of the key, or if the key is paused
     * @throws LeaseStoreException if requests still fail when the store timeout is over
     */
    @Override
    boolean tryLock();

    /**
     * Waits for at most this time until the calling thread owns the lock. If the time is zero or negative, does not
     * wait for another owner. Throws the exceptions of {@link #lockInterruptibly()}.
     *
     * @return whether the calling thread owns the lock. {@code false} if, for the whole time, another thread of any
     *     process owned the lock or held a lease of the key, or the key was paused
     * @throws InterruptedException if the thread is interrupted before or during the wait
     * @throws LeaseStoreException if requests still fail when {@code time} and the store timeout have both passed
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Unlocks once. A thread that has locked several times must unlock as often. The last of these unlocks closes the
     * lease as {@link Lease#close()} does. After the last unlock, the thread does not own the lock, even if
     * {@code unlock} throws an exception. If a clock has jumped, the last unlock first waits for the renewal that shows
     * whether the lease is still held. An interrupt does not end the wait for the renewal.
     *
     * @throws LeaseLostException if the lock was lost while it was locked; thrown by the last unlock only
     * @throws LeaseException if the lease was closed while the lock was locked; thrown by the last unlock only
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; the message names the owner
     */
    @Override
    void unlock();

    /**
     * Conditions are not supported, because {@link Condition#signal()} would not reach threads of other processes.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();
}
