package io.leasekit;

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
     * Acquires the lease, or returns empty if another holds it for as long as the request waits. The lease of a holder that
     * has died is taken over by the first call after its end.
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
     * {@link #tryAcquire(LeaseRequest)} returns or throws; cancelling it gives up, and what may have been written is released
     * in the background.
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

    /** Runs the work under the lease, as {@link #run(String, Runnable)} does, and hands the lease to it. */
    public void run(LeaseRequest request, Consumer<Lease> work) {
        try (Lease lease = acquire(request)) {
            work.accept(lease);
            lease.ensureValid();
        }
    }

    /**
     * Calls the work under the lease, on the calling thread, and releases the lease afterwards; does not call it and returns
     * empty if another holds the lease for as long as the request waits, or if the work returns {@code null}.
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
            lease.ensureValid();
            return Optional.ofNullable(result);
        }
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
        return engine.find(key);
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
