package io.leasekit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Shows leases without changing them. Every {@link LeaseManager} is an inspector. Code that only reads leases, such as
 * a page for operators, can depend on this type.
 *
 * <p>The results are for people and reports, and may be outdated when they arrive. Only an acquire decides whether work
 * may run. Thread-safe.
 */
public interface LeaseInspector {

    /**
     * Returns DynamoDB's time, to within about 1.5 s, independent of the local clock. The replies so far determine an
     * interval that contains this time; the result is the middle of the interval. Sends a consistent read only if there
     * was no reply within the last 10 minutes, or none since a clock jump.
     *
     * @throws LeaseStoreException if requests still fail when the store timeout is over
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     */
    Instant time();

    /**
     * Reads the item of this key by one strongly consistent read. Returns empty if the table has no item for the key.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     * @throws IllegalArgumentException if the key is null, blank, malformed or longer than 2,048 bytes of UTF-8
     */
    Optional<LeaseInfo> find(String key);

    /**
     * Returns the past runs of this key, the latest first, by one strongly consistent read; empty if the table shows
     * none. The managers that release the key determine how many runs it keeps
     * ({@link LeaseManagerBuilder#runHistory}). A run without an outcome was not finished. Such a run appears when the
     * next run has ended.
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
     * Reads one page of the leases that the table shows as held or kept by a hold, including leases of dead holders.
     * The reads are strongly consistent. Successive pages show each lease that stays held throughout exactly once.
     *
     * <p>The list is for people and reports, not for polling; {@link LeasePage} describes its cost. An item that is not
     * a lease is left out with a warning.
     *
     * @throws LeaseStoreException if a request fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     */
    LeasePage list(LeaseQuery query);

    /**
     * Returns the leases that this manager holds now, sorted by key. A lease is held from its acquire until it is
     * released or lost. Sends no request. The result contains no {@link Lease} objects, so a reader cannot release a
     * lease under running work.
     */
    List<LeaseStatus> held();

    /**
     * Returns the acquires that wait because another owner holds the lease or came first, sorted by key. Sends no
     * request.
     */
    List<LeaseWait> waiting();

    /**
     * Begins a watch of this key. The watch reports to the listener who holds the lease, and when the key is free. The
     * first report is the current state. {@link LeaseWatch} describes order and cost.
     *
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key, or the listener is null
     * @throws LeaseException if the manager is closed
     */
    LeaseWatch watch(String key, LeaseWatch.Listener listener);

    /**
     * Waits on the calling thread until the key is free, without acquiring its lease. Waits for at least one read,
     * whatever the timeout. Later reads are sent as often as for a {@link #watch watch}. Another caller may acquire the
     * lease before this method returns. To work under the lease, acquire it with a {@code waitFor} instead.
     *
     * @param timeout the time to wait, at most 365 days; zero waits for the first read only
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
