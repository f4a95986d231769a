package io.leasekit;

import io.leasekit.engine.EngineBuilder;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Acquires leases, keeps them alive by heartbeats, and releases them.
 *
 * <p>Of all managers that share a table, in whatever process, at most one holds a key at a time; two threads of one process
 * exclude each other too, and so do two acquires of one thread: a lease is not reentrant. What that rests on, and what it does not cover, stands at the head of the package documentation.
 *
 * <p>One manager serves a whole application, for any number of keys; it needs no thread for a lease that is held or waited
 * for. Close it when the application ends, after the work that holds leases. Thread-safe.
 */
public interface LeaseManager extends AutoCloseable {

    /** Returns a builder of a manager that keeps its leases in this store. The store stays the caller's to close. */
    static Builder builder(LeaseStore store) {
        return new EngineBuilder(store);
    }

    /**
     * Tries once to acquire the lease on the manager's terms; see {@link #tryAcquire(LeaseRequest)}.
     *
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     */
    default Optional<Lease> tryAcquire(String key) {
        return tryAcquire(LeaseRequest.of(key));
    }

    /**
     * Acquires the lease, or returns empty if another holds it for as long as the request waits, or if the run is done that the
     * request is for ({@link #acquire(LeaseRequest)} tells the two apart). The lease of a holder that has died is taken over by
     * the first call after its end.
     *
     * @throws LeaseStoreException if the store did not do what was asked, for as long as the request waits and at least for
     *     the store timeout
     * @throws LeaseInterruptedException if the thread is interrupted; what may have been written is released in the
     *     background
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the request's times do not fit each other
     */
    Optional<Lease> tryAcquire(LeaseRequest request);

    /**
     * Acquires the lease, as {@link #tryAcquire(LeaseRequest)} does, and throws if another holds it.
     *
     * @throws LeaseUnavailableException if another holds the lease for as long as the request waits
     * @throws LeaseAlreadyRanException if the run is done that the request is for
     */
    Lease acquire(LeaseRequest request);

    /**
     * Acquires one lease of all these keys, or of none, without waiting and on the manager's terms; see
     * {@link LeaseRequest#ofAll}, whose requests all methods take.
     *
     * @throws LeaseUnavailableException if another holds one of the keys
     * @throws LeaseStoreException if the store did not do what was asked
     * @throws IllegalArgumentException if there is no key or there are more than 100, if one is null, blank or longer than 2,048
     *     bytes of UTF-8, or if one is named twice
     */
    default Lease acquireAll(String... keys) {
        return acquire(LeaseRequest.ofAll(keys));
    }

    /**
     * Acquires the lease without holding a thread. The future completes, on the manager's callback executor, as
     * {@link #tryAcquire(LeaseRequest)} returns or throws; completing it before, by a cancel or {@code orTimeout} too, gives
     * up, and what may have been written is released in the background.
     */
    CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request);

    /**
     * Runs the work under the lease, on the calling thread, and releases the lease afterwards.
     *
     * @throws LeaseUnavailableException if another holds the lease; the work did not run
     * @throws LeaseStoreException if the store did not do what was asked; the work did not run
     * @throws LeaseLostException if the work ended normally and the lease was no longer valid by then
     */
    default void run(String key, Runnable work) {
        run(LeaseRequest.of(key), lease -> work.run());
    }

    /**
     * Runs the work under the lease, as {@link #run(String, Runnable)} does, and hands the lease to it. If the request is for a
     * run, that is done when the work has ended normally.
     *
     * @throws LeaseAlreadyRanException if the run is done that the request is for; the work did not run
     */
    default void run(LeaseRequest request, Consumer<Lease> work) {
        try (Lease lease = acquire(request)) {
            work.accept(lease);
            succeeded(request, lease);
            lease.ensureValid();
        }
    }

    private static void succeeded(LeaseRequest request, Lease lease) {
        if (request.once() != null) {
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        }
    }

    /**
     * Calls the work under the lease, on the calling thread, and releases the lease afterwards; does not call it and returns
     * empty if another holds the lease for as long as the request waits, if the run is done that the request is for, or if the
     * work returns {@code null}.
     *
     * @throws LeaseStoreException if the store did not do what was asked; the work was not called
     * @throws LeaseLostException if the work ended normally and the lease was no longer valid by then
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
     * Returns DynamoDB's time, by the middle of what the replies so far say of it: within about 1.5 s, whatever the local clock
     * shows. Sends a consistent read only when the last reply is older than 10 minutes, or there was none.
     *
     * @throws LeaseStoreException if the store did not do what was asked, for as long as the store timeout
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     */
    Instant time();

    /**
     * Reads what the table shows of this key, by one strongly consistent read; empty if it shows nothing.
     *
     * @throws LeaseStoreException if the store did not do what was asked
     * @throws LeaseInterruptedException if the thread is interrupted
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     */
    Optional<LeaseInfo> find(String key);

    /** Returns the first page of all leases; see {@link #list(LeaseQuery)}. */
    default LeasePage list() {
        return list(LeaseQuery.all());
    }

    /**
     * Reads one page of the leases that the table shows as held or kept, those of dead holders too, strongly consistent. The
     * pages that follow one another show each lease that is held all the while exactly once.
     *
     * <p>For people and reports, not for polling: on DynamoDB it is a {@code Scan}, paid by what it examines and not by what it
     * finds, one read unit for about 15 to 20 items, released ones and those of other keys included. A call sends up to 10
     * requests of up to 1,000 items; where few keys match, its page may be short, or empty, and not the last. An item
     * that is no lease is left out with a warning.
     *
     * @throws LeaseStoreException if the store did not do what was asked
     * @throws LeaseInterruptedException if the thread is interrupted
     */
    LeasePage list(LeaseQuery query);

    /**
     * Returns the leases that this manager holds just now, by key: those that were acquired and neither released nor lost.
     * Sends no request.
     */
    List<LeaseStatus> held();

    /**
     * Takes the lease with this token from its holder, without letting two run: its renewals are refused from now on, and it is
     * free once it would have ended by itself without them. The holder is told by its next renewal ({@link Lease#lost()},
     * {@link LeaseLossReason#REVOKED}), or finds its lease expired; its work is not stopped.
     *
     * <p>The token names the lease, as {@link #find} and {@link #list} tell it: one that another has acquired meanwhile stays
     * untouched. The same call again is harmless. A lease that is kept ({@link LeaseRequest#holdAtLeast}) stays kept until
     * its end, and one without a token, of the Rust crate's, cannot be released by force.
     *
     * @return {@link ForcedRelease.Done}; or {@link ForcedRelease.NotHeld} if the table shows no held lease with this token
     * @throws LeaseStoreException if the store did not do what was asked for the store timeout; it may have been done
     * @throws LeaseInterruptedException if the thread is interrupted; it may have been done, or still be
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8, or the token less than 1
     */
    ForcedRelease forceRelease(String key, long fencingToken);

    /**
     * Frees the lease with this token at once. <strong>Two may then run</strong>: its holder believes in it until its next
     * renewal is refused, or until it is over. For leases whose holder is known to be dead, or of no consequence; the fencing
     * token still tells its late writes from those of the next holder. A WARN says that it was done.
     *
     * <p>As anybody can acquire the key from then on, an acquire of the same holder that is still under way can, too.
     *
     * @param consent that two may run
     * @return as {@link #forceRelease(String, long)} does; {@link ForcedRelease.Done}, too, if it was done by an attempt of this
     *     call whose reply was lost
     * @throws LeaseStoreException if the store did not do what was asked for the store timeout; it may have been done
     * @throws LeaseInterruptedException if the thread is interrupted; it may have been done, or still be
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8, or the token less than 1
     */
    ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent);

    /**
     * Returns the acquires that wait just now, by key, because another, of this process or not, holds their lease or came first.
     * Sends no request.
     */
    List<LeaseWait> waiting();

    /** Returns what the manager knows of itself and of its way to the table just now. Sends nothing. */
    LeaseManagerStatus status();

    /**
     * Stops acquiring, goes on renewing until the leases that are held have been closed or the close timeout is over, and
     * waits for releases that are under way. A lease that is still held then is lost with {@link LeaseLossReason#CLOSED}; it
     * is not released, since its work may still run, and ends with its ttl. Never throws; does nothing the second time.
     */
    @Override
    void close();

    /** Closes as {@link #close()} does, without waiting; the stage completes when it is done. */
    CompletionStage<Void> closeAsync();

    /**
     * Builds a {@link LeaseManager}. Every setting has a default; {@link #build()} checks all of them together. Not thread-safe.
     */
    interface Builder {

        /** Sets the owner's name, as the table shows it to other processes; by default {@code java@host/pid-4hex}. */
        Builder owner(String value);

        /**
         * Sets the validity of one grant or renewal, from 2 s to 365 days; by default 60 s. After a crash the key is free that much
         * later.
         */
        Builder ttl(Duration value);

        /** Sets the interval between renewals, at most half of the ttl; by default a third of it. */
        Builder heartbeatInterval(Duration value);

        /** Sets the fraction of the ttl left at which a lease counts as at risk, between 0 and 1; by default a third. */
        Builder atRiskFraction(double value);

        /**
         * Sets how long an acquire is retried while the store fails, where the request does not wait longer anyway; by default 6 s.
         */
        Builder storeTimeout(Duration value);

        /** Sets how long {@link LeaseManager#close()} waits for leases that are still held; by default 30 s. */
        Builder closeTimeout(Duration value);

        /** Sets the effect of a release on the item; by default {@link ReleaseMode#RETAIN}. */
        Builder releaseMode(ReleaseMode value);

        /** Sets how long a released item is kept, at least 15 minutes; by default 7 days. */
        Builder retention(Duration value);

        /**
         * Sets how long a released item is kept that records a completed run ({@link LeaseRequest#once}), at least the retention;
         * by default 400 days, or the retention if that is longer.
         */
        Builder onceRetention(Duration value);

        /**
         * Sets how long a lease must be seen unchanged before its holder counts as dead, where the item shows no ttl or no usable
         * expiry; by default 5 minutes.
         */
        Builder observationTime(Duration value);

        /**
         * Sets how many callers of this process may wait for one key, in addition to the one that sends requests; by default
         * 1,000. Any further caller fails with a {@link LeaseException}.
         */
        Builder maxWaitersPerKey(int value);

        /** Adds a listener. Listeners are called in the order in which they were added. */
        Builder listener(LeaseListener value);

        /** Adds a monitor. */
        Builder monitor(LeaseMonitor value);

        /**
         * Sets the executor that runs listeners and the dependents of the manager's stages; by default up to four daemon threads
         * {@code lease-callback-n}. It must run tasks on threads that may block. A task that it rejects is dropped. The caller
         * closes the executor.
         */
        Builder callbackExecutor(Executor value);

        /**
         * Builds the manager. It starts no thread and sends no request before its first use.
         *
         * @throws IllegalArgumentException if a setting is out of its range or does not fit another one
         */
        LeaseManager build();
    }
}
