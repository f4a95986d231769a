package io.leasekit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Shows leases without changing any. Every {@link LeaseManager} is one; code that only looks, such as a page for
 * operators, can ask for this type.
 *
 * <p>What it shows is for people and reports, and may be outdated when it arrives. Only an acquire decides whether work
 * may run. Thread-safe.
 */
public interface LeaseInspector {

    /**
     * Returns DynamoDB's time, within about 1.5 s, whatever the local clock shows. It is the middle of the interval
     * that the replies so far allow. A consistent read is sent only if there was no reply yet, or none since a clock has jumped,
     * or if the last one is older than 10 minutes.
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
     * Returns the last runs of this key, the latest first, by one strongly consistent read; empty if the table shows none. How
     * many it keeps is {@link LeaseManagerBuilder#runHistory} of those who release the key. A run without an outcome was not
     * finished; it is shown from the end of the next run on.
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
     * Reads one page of the leases that the table shows as held or kept by a hold, including those of dead holders. The
     * reads are strongly consistent. Successive pages show each lease that stays held throughout exactly once.
     *
     * <p>The list is for people and reports, not for polling; {@link LeasePage} describes its cost. An item that is not a
     * lease is left out with a warning.
     *
     * @throws LeaseStoreException if a request fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed
     */
    LeasePage list(LeaseQuery query);

    /**
     * Returns the leases that this manager holds now, sorted by key: those that were acquired and neither released nor
     * lost. Sends no request. These are no {@link Lease} objects, because whoever looks must not release a lease under
     * running work.
     */
    List<LeaseStatus> held();

    /** Returns the acquires that wait because another owner holds the lease or came first, by key. Sends no request. */
    List<LeaseWait> waiting();

    /**
     * Begins a watch of this key: the listener is told who holds the lease, and when the key is free. The current state
     * comes first; {@link LeaseWatch} describes order and cost.
     *
     * @throws IllegalArgumentException if the key is null, blank, malformed, longer than 2,048 bytes of UTF-8, contains
     *     {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends with {@code #permissions}, or if the
     *     listener is null
     * @throws LeaseException if the manager is closed
     */
    LeaseWatch watch(String key, LeaseWatch.Listener listener);

    /**
     * Waits on the calling thread until the key is free, without acquiring its lease. Waits for at least one read,
     * whatever the timeout; further reads follow as for a {@link #watch watch}. Another caller may take the lease
     * before this method returns. To work under the lease, acquire it with a {@code waitFor} instead.
     *
     * @param timeout how long to wait, at most 365 days; zero: only for the first read
     * @return whether the key was seen free
     * @throws LeaseStoreException if the key could not be read at all within the timeout or the store timeout,
     *     whichever is longer
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager is closed, or is closed during the wait
     * @throws IllegalArgumentException if the timeout is negative, or if the key is null, blank, malformed, longer than 2,048 bytes
     *     of UTF-8, contains {@code #run=} or {@code #permit=}, begins with {@code #pauses} or ends with
     *     {@code #permissions}
     */
    boolean awaitFree(String key, Duration timeout);

    /** Returns the current state of this manager and of its requests to the table. Sends no request. */
    LeaseManagerStatus status();
}
