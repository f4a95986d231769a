package io.leasekit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} that the threads of all processes on a table share; see {@link LeaseManager#lock(String)}. To lock
 * this lock, a thread acquires a lease of the lock's key. The thread that owns the lock may lock it again; other
 * threads wait.
 *
 * <p>A lock guarantees what its lease guarantees: while {@link #lease()} is valid, no other thread of any process has
 * the lock. Unlike a lock within one process, this lock can be lost, for example if the table cannot be reached for
 * longer than the ttl. A loss of the lock does not stop the owner's code. After a loss, {@link Lease#lost()} completes
 * at once, and {@link #unlock()} throws a {@link LeaseLostException}. Late writes fail if they carry a
 * {@link Lease#fence() fence}.
 *
 * <p>All lock objects that one manager returns for a key are the same lock: a thread may lock one object and unlock
 * another. The lock and a lease of the same key exclude each other, even in one thread. A thread that holds the lock
 * and requests a lease of the same key waits for itself. A thread that holds a lease of the key and calls
 * {@link #lock()} waits for itself forever.
 *
 * <p>Unlock in a {@code finally} block. If a thread ends without unlocking, the lock stays locked, because the manager
 * renews the lock's lease until the manager closes. {@link LeaseRequest#holdAtMost(java.time.Duration)} limits the time
 * for which the lock can stay locked.
 *
 * <p>Waiting threads of one process get the lock in the order of their calls. While the store cannot be reached, a
 * waiting method retries its requests. If the store still cannot be reached at the time limit of a waiting method, the
 * method throws a {@link LeaseStoreException}.
 *
 * <p>Each method that locks throws an {@link IllegalArgumentException} if the request's heartbeat interval is longer
 * than half of its ttl. Each method that locks throws a {@link LeaseException} if the calling thread owns the lock but
 * has closed the lock's lease. Thread-safe. A lock need not be closed.
 */
public interface LeaseLock extends Lock {

    /** Returns the key. */
    String key();

    /**
     * Returns whether the calling thread has locked this lock and not yet unlocked it. If the lock is lost, the result
     * stays {@code true} until the thread unlocks. Sends no request.
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the lease of this lock. {@link #unlock()} closes the lease. If the caller closes the lease before
     * {@code unlock}, other threads can get the lock.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();

    /**
     * Waits without a limit until the calling thread owns the lock. An interrupt does not end the wait, but moves the
     * thread to the end of the process's queue. If the thread was interrupted, its interrupt flag is set again when
     * this method returns. While the store cannot be reached or the store's time is unknown, this method continues to
     * wait.
     *
     * @throws LeaseStoreException if the store rejects a request, for example because access is denied
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
     *     is cleared. A lease that the interrupted call may have written is released in the background
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
     * @return whether the calling thread owns the lock. {@code false} if another thread of any process kept the lock or
     *     a lease of the key until the time ended, or if the key stayed paused
     * @throws InterruptedException if the thread is interrupted before or during the wait
     * @throws LeaseStoreException if requests still fail when {@code time} and the store timeout have both passed
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Unlocks once. A thread that has locked several times must unlock the same number of times. The thread's last
     * unlock closes the lock's lease as {@link Lease#close()} does. After the last unlock, the thread does not own the
     * lock, even if {@code unlock} throws an exception. After a clock jump, the last unlock first waits for a renewal,
     * to learn whether the lease is still held. An interrupt does not end the wait for the renewal.
     *
     * @throws LeaseLostException if the lock was lost while it was locked; only the thread's last unlock throws this
     *     exception
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
