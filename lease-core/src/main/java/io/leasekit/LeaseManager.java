package io.leasekit;

import io.leasekit.engine.EngineBuilder;
import io.leasekit.store.LeaseStore;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases, renews them by heartbeats, and releases them.
 *
 * <p>Of all managers that share a table, in one or in several processes, at most one manager holds a key at a time.
 * Threads of one process exclude each other in the same way as processes do. A lease is not reentrant: if a thread
 * holds a lease and acquires the same key again, the second acquire finds the lease held. In this documentation,
 * "another owner" includes another caller of the same process. The package documentation lists the assumptions and
 * limits of the mutual exclusion.
 *
 * <p>One manager serves a whole application, for any number of keys. A manager does not need a thread for each held
 * lease or for each waiter. Close the manager when the application ends, after the work under its leases has ended.
 * Thread-safe.
 *
 * <p>An application may decorate managers and leases. A decorator may throw only the exceptions of the method that it
 * decorates. If a decorator throws an exception that the decorated method does not document, a lease may stay held and
 * renewed until its manager closes.
 */
public interface LeaseManager extends LeaseInspector, AutoCloseable {

    /**
     * Returns a builder of a manager that keeps its leases in this store. The built manager does not close the store.
     */
    static LeaseManagerBuilder builder(LeaseStore store) {
        return new EngineBuilder(store);
    }

    /**
     * Tries once to acquire the lease, with the manager's settings. Returns the same results and throws the same
     * exceptions as {@link #tryAcquire(LeaseRequest)}.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default Optional<Lease> tryAcquire(String key) {
        return tryAcquire(LeaseRequest.of(key));
    }

    /**
     * Acquires the lease. Returns empty if another owner holds the lease, or the key is paused, for as long as the
     * request waits. Also returns empty if the requested run is already done. To learn why the lease was not granted,
     * call {@link #acquire(LeaseRequest)}: it throws different exceptions for a key that is held or paused, and for a
     * run that is already done. After the lease of a dead holder has ended, the first call of this method gets the
     * lease.
     *
     * @throws LeaseStoreException if requests still fail when the request's wait and the store timeout have both passed
     * @throws LeaseStoreException if the store rejects an attempt
     * @throws LeaseStoreException if renewals of this process are so late that a new lease could not be renewed in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. A lease that the acquire may have
     *     written is released in the background
     * @throws LeaseException if the manager is closed
     * @throws LeaseException if too many callers of this process wait for the key
     *     ({@link LeaseManagerBuilder#maxWaitersPerKey})
     * @throws IllegalArgumentException if the request's heartbeat interval is longer than half of the ttl
     */
    Optional<Lease> tryAcquire(LeaseRequest request);

    /**
     * Acquires the lease with the manager's settings and without waiting. Throws the exceptions of
     * {@link #acquire(LeaseRequest)}.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default Lease acquire(String key) {
        return acquire(LeaseRequest.of(key));
    }

    /**
     * Acquires the lease as {@link #tryAcquire(LeaseRequest)} does, but throws an exception where {@code tryAcquire}
     * returns empty.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or the key is paused, for as long as the
     *     request waits
     * @throws LeaseAlreadyRanException if the requested run is already done
     */
    Lease acquire(LeaseRequest request);

    /**
     * Acquires one lease of all these keys, with the manager's settings and without waiting. If one of the keys is not
     * free, acquires none of the keys. To wait for several keys, pass {@link LeaseRequest#ofAll} to a method that takes
     * a request. Throws the exceptions of {@link #acquire(LeaseRequest)}.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#ofAll(String...)} refuses the keys
     */
    default Lease acquireAll(String... keys) {
        return acquire(LeaseRequest.ofAll(keys));
    }

    /**
     * Acquires the lease without blocking a thread. The future completes on the manager's callback executor, with the
     * result or the exception of {@link #tryAcquire(LeaseRequest)}.
     *
     * <p>If the executor rejects the task that completes the future, or does not start it within a third of the ttl,
     * the granted lease is released again and the future completes with a {@link LeaseException}.
     *
     * <p>If the caller completes the future, for example by {@code cancel} or {@code orTimeout}, the acquire is
     * cancelled. If a cancelled acquire may have written a lease, the lease is released in the background.
     *
     * @throws IllegalArgumentException if the request's heartbeat interval is longer than half of the ttl
     */
    default CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        return acquireAsync(request, null);
    }

    /**
     * Acquires the lease as {@link #acquireAsync(LeaseRequest)} does, and completes the future on the given executor.
     * On the manager's callback executor, one callback that blocks can delay the grants of other callers. A separate
     * executor avoids this delay. Throws the exceptions of {@link #acquireAsync(LeaseRequest)}.
     *
     * @param executor the executor that completes the future; {@code null} for the manager's callback executor. If
     *     dependent stages of the future block, the executor must not run tasks on the thread that calls
     *     {@code execute}, because that thread may renew leases
     */
    CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor);

    /**
     * Returns the lock of this key, with the manager's settings; see {@link #lock(LeaseRequest)}.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default LeaseLock lock(String key) {
        return lock(LeaseRequest.of(key));
    }

    /**
     * Returns the lock of the request's key, for code that needs a {@link java.util.concurrent.locks.Lock}. A thread
     * that locks the lock acquires a lease with the settings of this request. The method {@code lock} itself sends no
     * request to the store.
     *
     * @throws IllegalArgumentException if the request has several keys, a run, permits or a {@code waitFor}
     */
    LeaseLock lock(LeaseRequest request);

    /**
     * Runs the work under the lease on the calling thread, then releases the lease.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or the key is paused; the work did not run
     * @throws LeaseStoreException if the store fails as described for {@link #tryAcquire(LeaseRequest)}; the work did
     *     not run
     * @throws LeaseLostException if the work ended normally, but the lease was lost during the work
     * @throws LeaseInterruptedException if the thread is interrupted while it waits for the lease; the work did not run
     * @throws LeaseInterruptedException if the thread is interrupted while it waits, after the work, for a renewal
     * @throws LeaseException if the manager is closed; the work did not run
     * @throws LeaseException if too many callers of this process wait for the key; the work did not run
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default void run(String key, Runnable work) {
        run(LeaseRequest.of(key), lease -> work.run());
    }

    /**
     * Runs the work under the lease as {@link #run(String, Runnable)} does, and passes the lease to the work. If the
     * request names a run and the work ends normally, the run is recorded as done.
     *
     * @throws LeaseAlreadyRanException if the requested run is already done; the work did not run
     * @throws LeaseException if the work ended normally, but had released the lease itself
     * @throws IllegalArgumentException if the heartbeat interval is longer than half of the ttl; the work did not run
     */
    default void run(LeaseRequest request, Consumer<Lease> work) {
        try (Lease lease = acquire(request)) {
            work.accept(lease);
            succeeded(request, lease);
            lease.ensureValid();
        }
    }

    private static void succeeded(LeaseRequest request, Lease lease) {
        if (request.once() != null || request.isResumable()) {
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        }
    }

    /**
     * Calls the work under the lease on the calling thread, releases the lease, and returns the result of the work. If
     * {@link #tryAcquire(LeaseRequest)} returns empty, does not call the work and returns empty. Also returns empty if
     * the work returns {@code null}. Throws the exceptions of {@link #run(LeaseRequest, Consumer)}, except
     * {@link LeaseUnavailableException} and {@link LeaseAlreadyRanException}.
     */
    default <T> Optional<T> tryCall(LeaseRequest request, Function<Lease, T> work) {
        Optional<Lease> acquired = tryAcquire(request);
        if (acquired.isEmpty()) {
            return Optional.empty();
        }
        try (Lease lease = acquired.get()) {
            T result = work.apply(lease);
            succeeded(request, lease);
            lease.ensureValid();
            return Optional.ofNullable(result);
        }
    }

    /**
     * Begins the election of a leader, with the default settings; see
     * {@link #elect(LeaseRequest, ElectionSettings, LeaderElection.Work)}.
     */
    default LeaderElection elect(LeaseRequest request, LeaderElection.Work work) {
        return elect(request, ElectionSettings.defaults(), work);
    }

    /**
     * Begins the election of a leader and returns at once. The work runs in one process at a time; see
     * {@link LeaderElection}. The request's {@code holdAtMost} limits the length of each term.
     *
     * @throws IllegalArgumentException if the request is passive or has several keys, permits, a run, a hold or a
     *     limited wait
     * @throws IllegalArgumentException if the heartbeat interval is longer than half of the ttl
     * @throws IllegalArgumentException if the stop timeout is longer than a third of the ttl or of {@code holdAtMost},
     *     whichever is shorter
     * @throws LeaseException if the manager is closed
     */
    LeaderElection elect(LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);

    /**
     * Takes the lease with this token from its holder, but keeps the key from other owners until the lease would have
     * expired without further renewals. So the previous and the next holder never run at the same time. After this
     * call, the holder's renewals are refused. The holder notices the loss at its next renewal ({@link Lease#lost()},
     * {@link LeaseLossReason#REVOKED}), or when the lease expires. This method does not stop the holder's work.
     *
     * <p>{@link #find} and {@link #list} show the token, which identifies the lease. A later lease of the key has
     * another token, so this method never changes a later lease by mistake. {@link ForcedRelease} describes keys that a
     * hold keeps from other owners, and leases without a token. A repeated call does no harm.
     *
     * @return {@link ForcedRelease.Done} if the lease was taken from its holder; {@link ForcedRelease.NotHeld} if the
     *     table shows no held lease with this token
     * @throws LeaseStoreException if requests still fail when the store timeout has passed, or if the store rejects a
     *     request. The lease may have been released in spite of the exception
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. In spite of the exception, the
     *     lease may have been released, or may be released a little later
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     * @throws IllegalArgumentException if the token is less than 1
     */
    ForcedRelease forceRelease(String key, long fencingToken);

    /**
     * Frees the lease with this token at once. <strong>Two holders may run at the same time</strong>: the previous
     * holder trusts its lease until its next renewal is refused or the lease expires. Use this method only if the
     * holder is known to be dead, or if two holders at the same time do no harm. A data store that checks fencing
     * tokens can still refuse the previous holder's late writes, because the next holder's token is larger. The manager
     * logs a WARN about the forced release.
     *
     * <p>After this call, any acquire can get the key, even a late acquire request of the previous holder.
     *
     * <p>Throws the exceptions of {@link #forceRelease(String, long)}.
     *
     * @param consent the caller's consent that two holders may run
     * @return the result as for {@link #forceRelease(String, long)}. The result is also {@link ForcedRelease.Done} if
     *     this call freed the lease, although a reply was lost, and no owner has acquired the lease since that time
     */
    ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent);

    /**
     * Allows a completed run to be executed again: the next acquire for this run is granted. This method does not start
     * the run. When the run has succeeded again, it counts as done again. With {@link OnceOrder#GROWING}, earlier runs
     * still count as done. If the manager {@linkplain LeaseManagerBuilder#runHistory writes a run history}, the history
     * of the key shows the name {@code by}. The manager's listeners get a {@link LeaseEvent.RunAgain}.
     *
     * <p>The call has an effect only if the table still shows the state that the caller saw by {@link #find} or
     * {@link #history}: the named run is the last run and was done under this token, and the key is free. If the run
     * has been executed again since, this method changes nothing. If two callers allow the same run, only one of the
     * calls has an effect.
     *
     * <p>With {@link OnceOrder#ANY}, each run has an item of its own. With {@link OnceOrder#ANY}, the call therefore
     * checks the run's item instead of the item of the lease, and the run's item contains the history.
     *
     * @param by the name of the person who allows the run, for the history and the log
     * @return whether the run may be executed again. {@code false} if the table no longer shows the state that the
     *     caller saw. The result is also {@code false} if this call allowed the run, but a reply was lost and the run
     *     has already been executed again
     * @throws LeaseStoreException if requests still fail when the store timeout has passed, or if the store rejects a
     *     request. The run may have been allowed in spite of the exception
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. In spite of the exception, the run
     *     may have been allowed, or may be allowed a little later
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     * @throws IllegalArgumentException if {@link LeaseRequest#once} refuses the name of the run
     * @throws IllegalArgumentException if the token is less than 1
     * @throws IllegalArgumentException if {@code by} is blank or longer than 1,024 characters
     */
    boolean runAgain(String key, String run, long fencingToken, String by);

    /** Returns an object that reads and changes the pauses of the table. Sends no request. */
    LeasePauses pauses();

    /** Pauses a key or a prefix, as {@link LeasePauses#pause(String, Instant, String)} does. */
    default LeasePause pause(String keyOrPrefix, Instant until, String reason) {
        return pauses().pause(keyOrPrefix, until, reason);
    }

    /**
     * Asks all work under leases of this manager to stop. After this call, {@link Lease#stopRequested()} returns
     * {@code true} for all leases of this manager, even for leases that are granted after the call. All elections of
     * this manager are closed: leaders get the signal to stop, and no new election can begin. The manager still grants
     * and renews leases. Returns at once and sends no request to the store. A second call has no effect.
     *
     * <p>{@link #close()} asks all work to stop, too. An application that waits for the end of its work before it
     * closes its managers should call this method before the wait. The Spring Boot starter calls this method when the
     * application context begins to close.
     */
    void requestStop();

    /**
     * Closes the manager in three steps:
     *
     * <ol>
     *   <li>{@linkplain #requestStop() Asks} all work to stop, and ends all acquires.
     *   <li>Waits until the held leases have been closed, at most for the close timeout. The closing manager renews
     *       held leases while it waits for them. A lease that is still held after the close timeout is lost with
     *       {@link LeaseLossReason#CLOSED}. The manager does not release a lease that is lost with {@code CLOSED},
     *       because its work may still run: the lease expires with its ttl or its extension.
     *   <li>Waits for releases that the store has not confirmed yet. For each release, the manager waits at most for
     *       the close timeout, but at least 1 s and at most 5 s, counted from the end of the work under the lease.
     * </ol>
     *
     * <p>A lease may be closed after its manager was closed. If the store does not answer, the manager logs a WARN with
     * the leases whose release is not confirmed. Unconfirmed releases are retried in the background until the leases
     * would have expired, even after this method has returned.
     *
     * <p>Never throws. A second call only waits until the first call has closed the manager. If the thread is
     * interrupted, this method stops waiting, and the manager continues to close in the background.
     */
    @Override
    void close();

    /** Closes the manager as {@link #close()} does, without waiting. The stage completes when the manager is closed. */
    CompletionStage<Void> closeAsync();
}
