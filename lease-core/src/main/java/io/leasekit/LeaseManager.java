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
 * <p>Each key of a table has at most one holder at a time, within one process and across processes. Threads of one
 * process exclude each other in the same way as processes do. A lease is not reentrant: if a thread holds a lease and
 * acquires the same key again, the second acquire finds the lease held. In this documentation, "another owner" includes
 * another caller of the same process. The package documentation lists the assumptions and limits of the mutual
 * exclusion.
 *
 * <p>One manager serves a whole application, for any number of keys. A manager does not need a thread for each held
 * lease or for each waiter. Close the manager when the application ends, after the work under its leases has ended.
 * Thread-safe.
 *
 * <p>An application may decorate managers and leases. A decorator may throw only the exceptions of the method that it
 * decorates. If a decorator throws another exception, a lease may stay held and renewed until its manager closes.
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
     * Acquires the lease. Returns empty if the lease stays unavailable during the whole {@code waitFor}, because
     * another owner holds the lease or the key is paused. Returns empty if the requested run is already done. To learn
     * from an exception why the lease was not granted, call {@link #acquire(LeaseRequest)}. After the lease of a dead
     * holder has ended, the next call gets the lease.
     *
     * @throws LeaseStoreException if requests to DynamoDB still fail after {@code waitFor} and the store timeout have
     *     both passed
     * @throws LeaseStoreException if the store rejects a request of the acquire
     * @throws LeaseStoreException if renewals of this process are so late that a new lease could not be renewed in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. If the acquire may have written a
     *     lease, the lease is released in the background
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
     * Acquires the lease as {@link #tryAcquire(LeaseRequest)} does, but throws an exception instead of returning empty.
     *
     * @throws LeaseUnavailableException if the lease stays unavailable during the whole {@code waitFor}, because
     *     another owner holds the lease or the key is paused
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
     * <p>If the executor rejects the completion of the future, or does not start it within a third of the ttl, the
     * future fails with a {@link LeaseException}. The granted lease of a failed future is released.
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
     * With a separate executor, a callback that blocks does not delay the grants of other callers. Throws the
     * exceptions of {@link #acquireAsync(LeaseRequest)}.
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
     * Acquires the lease, runs the work on the calling thread, and releases the lease.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or the key is paused; the work did not run
     * @throws LeaseStoreException if the store fails as described for {@link #tryAcquire(LeaseRequest)}; the work did
     *     not run
     * @throws LeaseLostException if the work ended normally, but the lease was lost during the work
     * @throws LeaseInterruptedException if the thread is interrupted while it waits for the lease; the work did not run
     * @throws LeaseInterruptedException if the thread is interrupted after the work, while it waits for a renewal
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
     * Acquires the lease, calls the work on the calling thread, releases the lease, and returns the work's result.
     * Returns empty, without calling the work, if {@link #tryAcquire(LeaseRequest)} returns empty. Returns empty if the
     * work returns {@code null}. Throws the exceptions of {@link #run(LeaseRequest, Consumer)}, except
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
     * @throws IllegalArgumentException if the request is passive, or has several keys, permits, a run,
     *     {@code holdAtLeast}, {@code cooldown} or a limited wait
     * @throws IllegalArgumentException if the heartbeat interval is longer than half of the ttl
     * @throws IllegalArgumentException if the stop timeout is longer than a third of the ttl or of {@code holdAtMost},
     *     whichever is shorter
     * @throws LeaseException if the manager is closed
     */
    LeaderElection elect(LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);

    /**
     * Takes the lease with this token from its holder. The key stays taken until the lease would have expired, so that
     * the previous holder and the next holder never run at the same time. After the forced release, the store refuses
     * the holder's renewals. The holder notices the loss at its next renewal ({@link Lease#lost()},
     * {@link LeaseLossReason#REVOKED}), or when the lease expires. This method does not stop the holder's work.
     *
     * <p>{@link #find} and {@link #list} show the fencing token of a lease. A later lease of the key has another token,
     * so this method never changes a later lease by mistake. {@link ForcedRelease} describes the effect on a lease with
     * {@code holdAtLeast} or without a token. Repeating the call does no harm.
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
     * <p>After this forced release, even a late acquire request of the previous holder can get the key.
     *
     * <p>Throws the exceptions of {@link #forceRelease(String, long)}.
     *
     * @param consent the caller's consent that two holders may run
     * @return the result as for {@link #forceRelease(String, long)}. After a lost reply, the result is
     *     {@link ForcedRelease.NotHeld} if another owner has already acquired the freed key
     */
    ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent);

    /**
     * Allows a completed run to be executed again: the next acquire for this run is granted. This method does not start
     * the run. When the repeated run is done, acquires for this run are refused again. With {@link OnceOrder#GROWING},
     * earlier runs still count as done. If the manager
     * {@linkplain LeaseManagerBuilder#runHistory writes a run history}, the history of the key shows the name
     * {@code by}. The manager's listeners get a {@link LeaseEvent.RunAgain}.
     *
     * <p>The call has an effect only if the key is free, and its last run has the given name and token. Pass the name
     * and the token of the run as {@link #find} or {@link #history} showed them. If the run has been executed again in
     * the meantime, {@code runAgain} changes nothing. If two callers allow the same run, only one of the calls has an
     * effect.
     *
     * <p>For a run in {@linkplain OnceOrder#ANY any order}, {@code runAgain} checks and changes the run's own item
     * instead of the lease's item.
     *
     * @param by the name of the person who allows the run, for the history and the log
     * @return whether the run may be executed again. {@code false} if the key is not free, or its last run has another
     *     name or token. If the reply to a request is lost, the result can be {@code false} although this call has
     *     allowed the run
     * @throws LeaseStoreException if requests still fail when the store timeout has passed, or if the store rejects a
     *     request. In spite of the exception, the next acquire for this run may be granted
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. In spite of the exception, an
     *     acquire for this run may be granted, now or a little later
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
     * this manager are closed: leaders get the signal to stop, and no new election can begin. After
     * {@code requestStop}, the manager still grants and renews leases. Returns at once and sends no request to the
     * store. A second call of {@code requestStop} has no effect.
     *
     * <p>If you wait for work to end before you close the manager, call this method first. The Spring Boot starter
     * calls this method when the application context begins to close.
     */
    void requestStop();

    /**
     * Closes the manager in three steps:
     *
     * <ol>
     *   <li>{@linkplain #requestStop() Asks} all work to stop, and ends all acquires.
     *   <li>Waits, for at most the close timeout, until all held leases have been closed. The closing manager renews
     *       held leases while it waits for them. A lease that is still held after the close timeout is lost with
     *       {@link LeaseLossReason#CLOSED}. A lease that is lost with {@code CLOSED} expires: the manager does not
     *       release it, because its work may still run.
     *   <li>Waits for releases that the store has not confirmed yet. Each release gets the close timeout, but at least
     *       1 s and at most 5 s, counted from the end of the work.
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
