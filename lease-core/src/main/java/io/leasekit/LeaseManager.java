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
 * <p>At most one of the managers that share a table holds a key at a time, in whatever processes they run. The threads
 * of one process exclude each other too, and so do two acquires of one thread: a lease is not reentrant. In this
 * documentation, "another owner" includes another caller of the same process. The package documentation lists the
 * assumptions of this guarantee, and its limits.
 *
 * <p>One manager serves a whole application, for any number of keys. A manager needs no thread per held lease or per
 * waiter. Close the manager when the application ends, after the work under its leases. Thread-safe.
 *
 * <p>An application may decorate managers and leases. A decorator must throw no exceptions but those of the decorated
 * method. Otherwise, a lease may stay held and renewed until its manager closes.
 */
public interface LeaseManager extends LeaseInspector, AutoCloseable {

    /** Returns a builder of a manager that keeps its leases in this store. The manager does not close the store. */
    static LeaseManagerBuilder builder(LeaseStore store) {
        return new EngineBuilder(store);
    }

    /**
     * Tries once to acquire the lease with the manager's settings, as {@link #tryAcquire(LeaseRequest)} does.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default Optional<Lease> tryAcquire(String key) {
        return tryAcquire(LeaseRequest.of(key));
    }

    /**
     * Acquires the lease. Returns empty if, for as long as the request waits, another owner holds the lease or the key
     * is paused. Also returns empty if the requested run is already done. {@link #acquire(LeaseRequest)} distinguishes
     * these cases. After the lease of a dead holder has ended, the first call acquires the lease.
     *
     * @throws LeaseStoreException if requests still fail when both the request's wait and the store timeout are over
     * @throws LeaseStoreException if the store rejects an attempt
     * @throws LeaseStoreException if renewals of this process are so late that a new lease could not be renewed in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; anything that the acquire may have
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
     * Acquires the lease as {@link #tryAcquire(LeaseRequest)} does, but throws an exception where that method returns
     * empty.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or the key is paused, for as long as the
     *     request waits
     * @throws LeaseAlreadyRanException if the requested run is already done
     */
    Lease acquire(LeaseRequest request);

    /**
     * Acquires one lease of all these keys, or none of them, with the manager's settings and without waiting. The
     * methods that take a request accept several keys too; see {@link LeaseRequest#ofAll}. Throws the exceptions of
     * {@link #acquire(LeaseRequest)}.
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
     * <p>If the executor rejects the result, or all its threads stay busy for a third of the ttl, the granted lease is
     * released again, and the future completes with a {@link LeaseException}.
     *
     * <p>Completing the future early, for example by {@code cancel} or {@code orTimeout}, cancels the acquire. Anything
     * that the acquire may have written is then released in the background.
     *
     * @throws IllegalArgumentException if the request's heartbeat interval is longer than half of the ttl
     */
    default CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        return acquireAsync(request, null);
    }

    /**
     * Acquires the lease as {@link #acquireAsync(LeaseRequest)} does, and completes the future on this executor. A
     * caller with an executor of its own does not depend on other callbacks. On the manager's callback executor, a
     * callback that blocks can delay the grants of all callers. Throws the exceptions of
     * {@link #acquireAsync(LeaseRequest)}.
     *
     * @param executor the executor that completes the future; {@code null} for the manager's callback executor. If
     *     dependents of the future block, the executor must not run tasks on the calling thread, which may be the
     *     thread that renews leases
     */
    CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor);

    /**
     * Returns the lock of this key with the manager's settings, as {@link #lock(LeaseRequest)} does.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default LeaseLock lock(String key) {
        return lock(LeaseRequest.of(key));
    }

    /**
     * Returns the lock of the request's key, for code that needs a {@link java.util.concurrent.locks.Lock}. Each time a
     * thread locks it, this request acquires a lease. Sends no request.
     *
     * @throws IllegalArgumentException if the request has several keys, a run, permits or a {@code waitFor}
     */
    LeaseLock lock(LeaseRequest request);

    /**
     * Runs the work under the lease on the calling thread, then releases the lease.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or the key is paused; the work did not run
     * @throws LeaseStoreException if the store failed as for {@link #tryAcquire(LeaseRequest)}; the work did not run
     * @throws LeaseLostException if the work ended normally, but the lease was lost meanwhile
     * @throws LeaseInterruptedException if the thread is interrupted while it waits for the lease, or for a renewal
     *     after the work
     * @throws LeaseException if the manager is closed; the work did not run
     * @throws LeaseException if too many callers of this process wait for the key; the work did not run
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key
     */
    default void run(String key, Runnable work) {
        run(LeaseRequest.of(key), lease -> work.run());
    }

    /**
     * Runs the work under the lease as {@link #run(String, Runnable)} does, and passes the lease to the work. If the
     * request names a run, that run is done once the work has ended normally.
     *
     * @throws LeaseAlreadyRanException if the requested run is already done; the work did not run
     * @throws LeaseException if the work ended normally, but has released the lease itself
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
     * Calls the work under the lease on the calling thread, releases the lease, and returns the result of the work.
     * Returns empty without calling the work where {@link #tryAcquire(LeaseRequest)} returns empty. Also returns empty
     * if the work returns {@code null}. Throws the other exceptions of {@link #run(LeaseRequest, Consumer)}.
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

    /** Begins the election of a leader with the default settings. */
    default LeaderElection elect(LeaseRequest request, LeaderElection.Work work) {
        return elect(request, ElectionSettings.defaults(), work);
    }

    /**
     * Begins the election of a leader and returns at once. The work runs in one process at a time; see
     * {@link LeaderElection}. A {@code holdAtMost} of the request limits a term.
     *
     * @throws IllegalArgumentException if the request is passive or has several keys, permits, a run, a hold or a
     *     limited wait
     * @throws IllegalArgumentException if the heartbeat interval is longer than half of the ttl
     * @throws IllegalArgumentException if the stop timeout is longer than a third of the ttl, or a third of a shorter
     *     {@code holdAtMost}
     * @throws LeaseException if the manager is closed
     */
    LeaderElection elect(LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);

    /**
     * Takes the lease with this token from its holder, without allowing two holders to run. From now on, the holder's
     * renewals are refused. The key becomes free when the lease would have expired without them. The holder notices the
     * loss at its next renewal ({@link Lease#lost()}, {@link LeaseLossReason#REVOKED}), or finds its lease expired. The
     * holder's work is not stopped.
     *
     * <p>{@link #find} and {@link #list} show the token, which identifies the lease. A lease that another owner has
     * acquired meanwhile has another token and stays untouched. {@link ForcedRelease} describes leases that are kept by
     * a hold or have no token. Repeating the call does no harm.
     *
     * @return {@link ForcedRelease.Done}; or {@link ForcedRelease.NotHeld} if the table shows no held lease with this
     *     token
     * @throws LeaseStoreException if requests still fail when the store timeout is over, or if the store rejects a
     *     request; the lease may have been released
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the lease may be released now or a
     *     little later
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     * @throws IllegalArgumentException if the token is less than 1
     */
    ForcedRelease forceRelease(String key, long fencingToken);

    /**
     * Frees the lease with this token at once. <strong>Two holders may then run</strong>: the previous holder trusts
     * its lease until its next renewal is refused or the lease expires. Use this method only if the holder is known to
     * be dead, or if its work does not matter. The fencing token still distinguishes the previous holder's late writes
     * from the writes of the next holder. The manager logs a WARN.
     *
     * <p>From now on any acquire can obtain the key, even an acquire by the same holder that is still under way.
     *
     * <p>Throws the exceptions of {@link #forceRelease(String, long)}.
     *
     * @param consent the caller's consent that two holders may run
     * @return the result as for {@link #forceRelease(String, long)}. The result is also {@link ForcedRelease.Done} if
     *     an attempt of this call freed the lease, its reply was lost, and nobody has acquired the lease since
     */
    ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent);

    /**
     * Allows a completed run to be executed again: the next acquire for this run is granted. This method does not start
     * the run. If the run succeeds again, it is done again. With {@link OnceOrder#GROWING}, earlier runs stay done. The
     * history of the key shows who called this method, if the manager {@linkplain LeaseManagerBuilder#runHistory keeps}
     * a history, and listeners get a {@link LeaseEvent.RunAgain}.
     *
     * <p>The call takes effect only if the table still shows what the caller saw by {@link #find} or {@link #history}:
     * this run is the last one, it was done under this token, and neither a holder nor a hold keeps the key. If others
     * have executed the run again since, nothing changes. If two callers allow the same run, one of them succeeds.
     *
     * <p>With {@link OnceOrder#ANY}, these conditions apply to the run's own item, whatever happens under the lease
     * now. That item also keeps the history.
     *
     * @param by the name of the person who allows the run, for the history and the log
     * @return whether the run may be executed again. {@code false} if the item does not meet these conditions, or if
     *     others have executed the run again after an attempt whose reply was lost
     * @throws LeaseStoreException if requests still fail when the store timeout is over, or if the store rejects a
     *     request; the run may be allowed
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the run may be allowed now or a
     *     little later
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     * @throws IllegalArgumentException if {@link LeaseRequest#once} refuses the name of the run
     * @throws IllegalArgumentException if the token is less than 1
     * @throws IllegalArgumentException if {@code by} is blank or longer than 1,024 characters
     */
    boolean runAgain(String key, String run, long fencingToken, String by);

    /** Returns the pauses of the table, to read and change them. Sends no request. */
    LeasePauses pauses();

    /** Pauses a key or a prefix, as {@link LeasePauses#pause(String, Instant, String)} does. */
    default LeasePause pause(String keyOrPrefix, Instant until, String reason) {
        return pauses().pause(keyOrPrefix, until, reason);
    }

    /**
     * Asks all work under leases of this manager to stop. From now on, {@link Lease#stopRequested()} is {@code true},
     * also for leases that are granted later. All elections are closed: leaders get the signal to stop, and no election
     * begins. Leases are still granted and renewed. Returns at once and sends no request. Later calls have no effect.
     *
     * <p>{@link #close()} requests the stop, too. Call this method earlier if the application waits for its work before
     * it closes its managers. The Spring Boot starter calls it when the application context begins to close.
     */
    void requestStop();

    /**
     * Closes the manager in three steps:
     *
     * <ol>
     *   <li>{@linkplain #requestStop() Asks} all work to stop, and ends all acquires.
     *   <li>Waits until the held leases have been closed, at most for the close timeout. Meanwhile, the leases are
     *       renewed. A lease that is still held after the timeout is lost with {@link LeaseLossReason#CLOSED}. The work
     *       may still run, so the lease is not released: it expires with its ttl or its extension.
     *   <li>Waits for releases in flight. The limit for each release counts from the end of its work: the close
     *       timeout, but at least 1 s and at most 5 s.
     * </ol>
     *
     * <p>A lease may be closed after its manager. If the store does not answer, a WARN names the leases whose release
     * is not confirmed. These releases are retried in the background until the leases would have expired, even after
     * this method has returned.
     *
     * <p>Never throws. A second call only waits for the first one to finish. An interrupt ends the wait, and the
     * manager continues to close in the background.
     */
    @Override
    void close();

    /** Closes the manager as {@link #close()} does, without waiting. The stage completes when the manager is closed. */
    CompletionStage<Void> closeAsync();
}
