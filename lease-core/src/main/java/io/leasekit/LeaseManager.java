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
 * <p>At most one of the managers that share a table holds a key at a time, in whatever processes they run. Two threads
 * of one process exclude each other too, and so do two acquires of one thread: a lease is not reentrant. In this
 * documentation, another caller of the same process also counts as another owner. The package documentation lists the
 * assumptions of this guarantee and what it does not cover.
 *
 * <p>One manager serves a whole application, for any number of keys. It needs no thread per held lease or per waiter.
 * Close it when the application ends, after the work that holds leases. Thread-safe.
 *
 * <p>An application may decorate managers and leases. A decorator must not throw what the decorated method does not throw:
 * otherwise a lease may be held and renewed until its manager closes.
 */
public interface LeaseManager extends LeaseInspector, AutoCloseable {

    /** Returns a builder of a manager that keeps its leases in this store. The manager does not close the store. */
    static LeaseManagerBuilder builder(LeaseStore store) {
        return new EngineBuilder(store);
    }

    /**
     * Tries once to acquire the lease with the manager's settings, as {@link #tryAcquire(LeaseRequest)} does.
     *
     * @throws IllegalArgumentException if the key is null, blank, longer than 2,048 bytes of UTF-8, contains
     *     {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends with {@code #permissions}
     */
    default Optional<Lease> tryAcquire(String key) {
        return tryAcquire(LeaseRequest.of(key));
    }

    /**
     * Acquires the lease. Returns empty if another owner holds it, or it is paused, for as long as the request waits, and if the
     * request's run is already done; {@link #acquire(LeaseRequest)} distinguishes these. The first call after the end of a dead
     * holder's lease takes the lease over.
     *
     * @throws LeaseStoreException if requests still fail when the request's wait and the store timeout are both over, if the
     *     store rejects an attempt, or if renewals of this process are so late that a new lease could not be renewed in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; anything that the acquire may have
     *     written is released in the background
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key
     *     ({@link LeaseManagerBuilder#maxWaitersPerKey})
     * @throws IllegalArgumentException if the request's heartbeat interval is longer than half of the ttl
     */
    Optional<Lease> tryAcquire(LeaseRequest request);

    /**
     * Acquires the lease with the manager's settings and without waiting, as {@link #acquire(LeaseRequest)} does. Throws
     * its exceptions too.
     *
     * @throws IllegalArgumentException if the key is null, blank, longer than 2,048 bytes of UTF-8, contains
     *     {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends with {@code #permissions}
     */
    default Lease acquire(String key) {
        return acquire(LeaseRequest.of(key));
    }

    /**
     * Acquires the lease as {@link #tryAcquire(LeaseRequest)} does, but throws an exception where that method returns
     * empty.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or it is paused, for as long as the request waits
     * @throws LeaseAlreadyRanException if the request's run is already done
     */
    Lease acquire(LeaseRequest request);

    /**
     * Acquires one lease of all these keys, or of none of them, with the manager's settings and without waiting. The
     * methods that take a request accept several keys too; see {@link LeaseRequest#ofAll}. Throws the exceptions of
     * {@link #acquire(LeaseRequest)} too.
     *
     * @throws IllegalArgumentException if there is no key or there are more than 100, if one is null, blank, longer
     *     than 2,048 bytes of UTF-8, contains {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends
     *     with {@code #permissions}, or if one is named twice
     */
    default Lease acquireAll(String... keys) {
        return acquire(LeaseRequest.ofAll(keys));
    }

    /**
     * Acquires the lease without blocking a thread. The future completes on the manager's callback executor, with the
     * result or the exception of {@link #tryAcquire(LeaseRequest)}.
     *
     * <p>A lease that the executor rejects, or has not handed out after a third of the ttl because all its threads are
     * busy, is released again, and the future completes with a {@link LeaseException}.
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
     * Acquires the lease like {@link #acquireAsync(LeaseRequest)}, with a future that completes on this executor. With
     * its own executor, a caller does not depend on other callbacks: work that blocks the manager's callback executor
     * delays the grants of all other callers. Throws the exceptions of that method.
     *
     * @param executor completes the future; {@code null}: the manager's callback executor. It must not run tasks on the calling
     *     thread, unless the dependents of the future do not block: that thread may be the one that renews the leases
     */
    CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor);

    /**
     * Returns the lock of this key with the manager's settings, as {@link #lock(LeaseRequest)} does.
     *
     * @throws IllegalArgumentException if the key is one that {@link LeaseRequest#of} refuses
     */
    default LeaseLock lock(String key) {
        return lock(LeaseRequest.of(key));
    }

    /**
     * Returns the lock of the request's key, for code that needs a {@link java.util.concurrent.locks.Lock}. Each time a
     * thread locks it, a lease is acquired by this request. Sends no request.
     *
     * @throws IllegalArgumentException if the request has several keys, a run, permits or a {@code waitFor}
     */
    LeaseLock lock(LeaseRequest request);

    /**
     * Runs the work under the lease on the calling thread, then releases the lease.
     *
     * @throws LeaseUnavailableException if another owner holds the lease, or it is paused; the work did not run
     * @throws LeaseStoreException if the store failed as for {@link #tryAcquire(LeaseRequest)}; the work did not run
     * @throws LeaseLostException if the work ended normally, but the lease was lost meanwhile
     * @throws LeaseInterruptedException if the thread is interrupted while it waits for the lease or, after the work,
     *     for a renewal
     * @throws LeaseException if the manager is closed, or if too many callers of this process wait for the key; the work did not run
     * @throws IllegalArgumentException if the key is null, blank, longer than 2,048 bytes of UTF-8, contains
     *     {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends with {@code #permissions}
     */
    default void run(String key, Runnable work) {
        run(LeaseRequest.of(key), lease -> work.run());
    }

    /**
     * Runs the work under the lease as {@link #run(String, Runnable)} does, and passes the lease to it. If the request
     * is for a run, that run is done once the work has ended normally.
     *
     * @throws LeaseAlreadyRanException if the request's run is already done; the work did not run
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
     * Returns empty without calling the work if another owner holds the lease, or it is paused, for as long as the request
     * waits, or if the request's run is already done. Also returns empty if the work returns {@code null}. Throws the other exceptions
     * of {@link #run(LeaseRequest, Consumer)}.
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
     *     limited wait, if the heartbeat interval is longer than half of the ttl, or if the stop timeout is longer than a third of the
     *     ttl, or of the {@code holdAtMost} if that is shorter
     * @throws LeaseException if the manager is closed
     */
    LeaderElection elect(LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);

    /**
     * Takes the lease with this token from its holder, without allowing two holders to run. The holder's renewals are
     * refused from now on, and the key is free when the lease would have expired without them. The holder notices at
     * its next renewal ({@link Lease#lost()}, {@link LeaseLossReason#REVOKED}), or finds its lease expired. Its work is
     * not stopped.
     *
     * <p>The token identifies the lease; {@link #find} and {@link #list} show it. A lease that another owner has
     * acquired meanwhile has another token and is left alone; {@link ForcedRelease} names two more. Repeating the call
     * does no harm.
     *
     * @return {@link ForcedRelease.Done}; or {@link ForcedRelease.NotHeld} if the table shows no held lease with this
     *     token
     * @throws LeaseStoreException if requests still fail when the store timeout is over, or if the store rejects one;
     *     the release may have been applied
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the release may have been applied,
     *     or may still be
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8, or if the token
     *     is less than 1
     */
    ForcedRelease forceRelease(String key, long fencingToken);

    /**
     * Frees the lease with this token at once. <strong>Two holders may then run</strong>: the previous holder trusts
     * its lease until its next renewal is refused or the lease expires. Use this method only if the holder is known to
     * be dead, or if its work does not matter. The fencing token still distinguishes its late writes from those of the
     * next holder. A WARN is logged.
     *
     * <p>From then on any acquire can obtain the key, even an acquire of the same holder that is still under way.
     *
     * <p>Throws the exceptions of {@link #forceRelease(String, long)}.
     *
     * @param consent the caller's consent that two holders may run
     * @return as for {@link #forceRelease(String, long)}; also {@link ForcedRelease.Done} if an attempt of this call
     *     freed the lease but its reply was lost, and nobody has acquired it since
     */
    ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent);

    /**
     * Allows the run of this name, which is done, to be run again: the next acquire for it is granted. Earlier runs of an order that
     * {@linkplain OnceOrder#GROWING grows} stay done. Nothing is started. The history of the key shows who asked, if the manager
     * {@linkplain LeaseManagerBuilder#runHistory keeps} one, and listeners get a {@link LeaseEvent.RunAgain}.
     *
     * <p>It happens only if the table still shows what the caller saw, by {@link #find} or {@link #history}: this run as the last one, done under this
     * token, and nobody who holds the lease, also by a hold. So a run that others have run again since is left alone, and of two
     * callers one succeeds. If the run succeeds again, it is done again.
     *
     * <p>With {@link OnceOrder#ANY}, it is the item of the run that must be so, whatever is done under the lease now. The history of
     * that item shows who asked.
     *
     * @param by who asks for it, for the history and the log
     * @return whether it happened; {@code false}: the table showed something else, or the reply to an attempt was lost and the run
     *     has been run again since
     * @throws LeaseStoreException if requests still fail when the store timeout is over, or if the store rejects one; the run may
     *     be allowed
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the run may be allowed, or may still be
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8, if the name is one that
     *     {@link LeaseRequest#once} refuses, if the token is less than 1, or if {@code by} is blank or longer than 1,024 characters
     */
    boolean runAgain(String key, String run, long fencingToken, String by);

    /** Returns the pauses of the table, to see and change them. Sends no request. */
    LeasePauses pauses();

    /** Pauses a key or a prefix, as {@link LeasePauses#pause(String, Instant, String)} does. */
    default LeasePause pause(String keyOrPrefix, Instant until, String reason) {
        return pauses().pause(keyOrPrefix, until, reason);
    }

    /**
     * Asks all work under leases of this manager to stop. {@link Lease#stopRequested()} is {@code true} from now on, also for
     * leases that are granted later. Elections are closed: leaders are told to stop, and no election begins. Everything else
     * goes on: leases are granted and renewed. Returns at once, and sends no request. Later calls have no effect.
     *
     * <p>{@link #close()} asks first, too. Call this method earlier if the application waits for its work before it closes
     * its managers. With Spring Boot, the starter calls it when the application context begins to close.
     */
    void requestStop();

    /**
     * {@linkplain #requestStop() Asks} all work to stop, stops acquiring and waits, at most for the close timeout, until
     * the held leases have been closed; they are renewed meanwhile. Then waits for releases in flight, for each until the close timeout, but at least 1 s and at most
     * 5 s, has passed since the end of its work. A lease that is still held after the close timeout is lost
     * with {@link LeaseLossReason#CLOSED}. Its work may still run, so it is not released but expires with its ttl
     * or its extension.
     *
     * <p>A lease may be closed after its manager. If the store does not answer, a WARN names the leases whose release is
     * not confirmed. The releases are retried in the background until their leases would have expired, even after this
     * manager was closed.
     *
     * <p>Never throws. A second call only waits for the first one to finish. An interrupt ends the wait, and the
     * manager continues closing in the background.
     */
    @Override
    void close();

    /** Closes the manager as {@link #close()} does, without waiting. The stage completes when it is closed. */
    CompletionStage<Void> closeAsync();
}
