package io.leasekit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Shows leases without changing them. Every {@link LeaseManager} is an inspector. Code that only reads leases, such as
 * a page for operators, can depend on this type.
 *
 * <p>The results are for display and reports, and may be outdated when the caller gets them. Only an acquire decides
 * whether work may run. Thread-safe.
 */
public interface LeaseInspector {

    /**
     * Returns DynamoDB's time, exact to about 1.5 s and independent of the local clock. The manager derives the time
     * from the dates of DynamoDB's replies. This method sends a consistent read only if the last reply from the table
     * is more than 10 minutes old, or came before the last clock jump.
     *
     * @throws LeaseStoreException if requests still fail when the store timeout is over
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     */
    Instant time();

    /**
     * Reads the lease of this key with one strongly consistent read. Returns empty if the table has no item for the
     * key.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank, longer than 2,048 bytes of UTF-8, or contains an
     *     unpaired surrogate
     */
    Optional<LeaseInfo> find(String key);

    /**
     * Reads the past runs of this key, the latest first, with one strongly consistent read. Returns an empty list if
     * the table shows no past runs. The manager that releases the key limits the number of past runs in the key's item
     * ({@link LeaseManagerBuilder#runHistory}). An entry without an outcome is a run that was not finished, or a note
     * that a completed run may be executed again ({@link LeasePastRun#isRunAgain()}). A run that was not finished
     * appears in the history only after the next holder has acquired the lease.
     *
     * <p>Throws the exceptions of {@link #find}.
     */
    default List<LeasePastRun> history(String key) {
        return find(key).map(LeaseInfo::history).orElse(List.of());
    }

    /** Returns the first page of all leases; see {@link #list(LeaseQuery)}. */
    default LeasePage list() {
        return list(LeaseQuery.all());
    }

    /**
     * Reads one page of the leases that the table shows as held, including leases of dead holders. The page also
     * contains released leases whose {@code holdAtLeast} or {@code cooldown} still keeps other owners from the key. The
     * reads are strongly consistent. A lease that stays held while all pages are read appears on exactly one page.
     *
     * <p>The list is for display and reports, not for polling; {@link LeasePage} describes the cost of a page. An item
     * that is not a lease is left out, and the manager logs a warning.
     *
     * @throws LeaseStoreException if a request fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     */
    LeasePage list(LeaseQuery query);

    /**
     * Returns the leases that this manager holds now, sorted by key. A lease is held from its acquire until it is
     * released or lost. Sends no request. The result contains no {@link Lease} objects, so code that reads it cannot
     * release the leases.
     */
    List<LeaseStatus> held();

    /**
     * Returns the waiting acquires, sorted by key. An acquire waits because another owner holds the lease, or because
     * other callers have waited longer. Sends no request.
     */
    List<LeaseWait> waiting();

    /**
     * Begins a watch of this key. The watch tells the listener which owner holds the lease, and when the key is free.
     * The first call of the listener reports the current state. {@link LeaseWatch} describes the order of the reports
     * and the cost of a watch.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key, or the listener is null
     * @throws LeaseException if the manager is closed
     */
    LeaseWatch watch(String key, LeaseWatch.Listener listener);

    /**
     * Waits on the calling thread until the key is free, without acquiring the lease. The result is based on a read
     * that began after this method was called. Even with a timeout of zero, this method waits until one read has ended.
     * Further reads are sent as often as for a {@link #watch watch}. Another caller may acquire the lease before this
     * method returns. To work under the lease, acquire the lease with a {@code waitFor} instead of calling this method.
     *
     * @param timeout the maximum time to wait, at most 365 days; zero to wait for the first read only
     * @return whether a read showed the key as free
     * @throws LeaseStoreException if no read succeeds within the timeout or the store timeout, whichever is longer
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed before or during the wait
     * @throws IllegalArgumentException if the timeout is negative, or if {@link LeaseRequest#of} refuses the key
     */
    boolean awaitFree(String key, Duration timeout);

    /** Returns the current state of this manager and of its requests to the table. Sends no request. */
    LeaseManagerStatus status();
}
