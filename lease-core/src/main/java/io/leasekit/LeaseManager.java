package io.leasekit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
public final class LeaseManager implements AutoCloseable {

    private final LeaseEngine engine;

    LeaseManager(LeaseEngine engine) {
        this.engine = engine;
    }

    /** What this manager is the face of; for tests, which cannot wait where they move the time on. */
    LeaseEngine engine() {
        return engine;
    }

    /** Returns a builder of a manager that keeps its leases in this store. The store stays the caller's to close. */
    public static LeaseManagerBuilder builder(LeaseStore store) {
        return new LeaseManagerBuilder(store);
    }

    /**
     * Tries once to acquire the lease on the manager's terms; see {@link #tryAcquire(LeaseRequest)}.
     *
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     */
    public Optional<Lease> tryAcquire(String key) {
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
    public Optional<Lease> tryAcquire(LeaseRequest request) {
        return engine.acquireBlocking(request).lease();
    }

    /**
     * Acquires the lease, as {@link #tryAcquire(LeaseRequest)} does, and throws if another holds it.
     *
     * @throws LeaseUnavailableException if another holds the lease for as long as the request waits
     * @throws LeaseAlreadyRanException if the run is done that the request is for
     */
    public Lease acquire(LeaseRequest request) {
        return engine.acquireBlocking(request).orThrow(request);
    }

    /**
     * Acquires one lease of all these keys, or of none, without waiting and on the manager's terms; see
     * {@link LeaseRequest#ofAll}, whose requests all methods take.
     *
     * @throws LeaseUnavailableException if another holds one of the keys
     * @throws LeaseStoreException if the store did not do what was asked
     * @throws IllegalArgumentException if there is no key or there are more than 100, if one is null, blank or longer than 2,048
     *     bytes of UTF-8, or if one is named twice
     */
    public Lease acquireAll(String... keys) {
        return acquire(LeaseRequest.ofAll(keys));
    }

    /**
     * Acquires the lease without holding a thread. The future completes, on the manager's callback executor, as
     * {@link #tryAcquire(LeaseRequest)} returns or throws; completing it before, by a cancel or {@code orTimeout} too, gives
     * up, and what may have been written is released in the background.
     */
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        return engine.acquireAsync(request);
    }

    /**
     * Runs the work under the lease, on the calling thread, and releases the lease afterwards.
     *
     * @throws LeaseUnavailableException if another holds the lease; the work did not run
     * @throws LeaseStoreException if the store did not do what was asked; the work did not run
     * @throws LeaseLostException if the work ended normally and the lease was no longer valid by then
     */
    public void run(String key, Runnable work) {
        run(LeaseRequest.of(key), lease -> work.run());
    }

    /**
     * Runs the work under the lease, as {@link #run(String, Runnable)} does, and hands the lease to it. If the request is for a
     * run, that is done when the work has ended normally.
     *
     * @throws LeaseAlreadyRanException if the run is done that the request is for; the work did not run
     */
    public void run(LeaseRequest request, Consumer<Lease> work) {
        try (Lease lease = acquire(request)) {
            work.accept(lease);
            succeeded(request, lease);
            lease.ensureValid();
        }
    }

    private static void succeeded(LeaseRequest request, Lease lease) {
        if (request.once() != null) {
            lease.ran(LeaseRunOutcome.SUCCEEDED);
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
    public <T> Optional<T> tryCall(LeaseRequest request, Function<Lease, T> work) {
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
    public Instant time() {
        return engine.time();
    }

    /**
     * Reads what the table shows of this key, by one strongly consistent read; empty if it shows nothing.
     *
     * @throws LeaseStoreException if the store did not do what was asked
     * @throws LeaseInterruptedException if the thread is interrupted
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8
     */
    public Optional<LeaseInfo> find(String key) {
        Checks.key(key);
        return engine.inspection.find(key);
    }

    /** Returns the first page of all leases; see {@link #list(LeaseQuery)}. */
    public LeasePage list() {
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
    public LeasePage list(LeaseQuery query) {
        return engine.inspection.list(query);
    }

    /**
     * Returns the leases that this manager holds just now, by key: those that were acquired and neither released nor lost.
     * Sends no request.
     */
    public List<LeaseStatus> held() {
        return engine.inspection.held();
    }

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
    public ForcedRelease forceRelease(String key, long fencingToken) {
        return forceRelease(key, fencingToken, false);
    }

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
    public ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent) {
        return forceRelease(key, fencingToken, consent == ForcedRelease.TwoMayRun.IMMEDIATELY);
    }

    private ForcedRelease forceRelease(String key, long fencingToken, boolean immediately) {
        Checks.key(key);
        Checks.token(fencingToken, key);
        return engine.inspection.forceRelease(key, fencingToken, immediately);
    }

    /**
     * Returns the acquires that wait just now, by key, because another, of this process or not, holds their lease or came first.
     * Sends no request.
     */
    public List<LeaseWait> waiting() {
        return engine.waiting();
    }

    /** Returns what the manager knows of itself and of its way to the table just now. Sends nothing. */
    public LeaseManagerStatus status() {
        return engine.status();
    }

    /**
     * Stops acquiring, goes on renewing until the leases that are held have been closed or the close timeout is over, and
     * waits for releases that are under way. A lease that is still held then is lost with {@link LeaseLossReason#CLOSED}; it
     * is not released, since its work may still run, and ends with its ttl. Never throws; does nothing the second time.
     */
    @Override
    public void close() {
        engine.close();
    }

    /** Closes as {@link #close()} does, without waiting; the stage completes when it is done. */
    public CompletionStage<Void> closeAsync() {
        return engine.closeAsync();
    }
}
