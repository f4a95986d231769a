package io.leasekit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The pauses of a table. While a key is paused, no acquire of the key is granted; held leases are renewed as usual. A
 * pause ends at its time, or when it is lifted.
 *
 * <p>A pause applies to all managers of the table that were built with {@link LeaseManagerBuilder#pauses}. 5 s after
 * the pause was written, these managers send no more acquires of the key. An acquire that was sent before may still be
 * granted within 2 s. If a manager cannot read the pauses, it uses the pauses that it read last. Managers without this
 * setting, and versions without pauses, ignore the pause. Once a pause is lifted, waiters continue within 5 s. To be
 * sure that no work runs, pause the key, then wait until it is free.
 *
 * <p>An acquire of a paused key behaves as if another owner held the lease: it waits for as long as its request does,
 * and then ends with a {@link LeaseUnavailableException} that names the pause. A lease of several keys is paused if one
 * of its keys is paused.
 *
 * <p>A key that ends with {@code *} pauses all keys with that prefix: {@code reports/*}, or {@code *} for all keys of
 * the table. All methods but {@link #isEnabled} send requests and block. Thread-safe.
 */
public interface LeasePauses {

    /** Returns whether this manager was built with {@link LeaseManagerBuilder#pauses}. */
    boolean isEnabled();

    /**
     * Pauses a key or a prefix in the name of the manager's owner; see {@link #pause(String, Instant, String, String)}.
     */
    LeasePause pause(String keyOrPrefix, Instant until, String reason);

    /**
     * Pauses a key or a prefix. Replaces an earlier pause of the same key or prefix.
     *
     * @param until the end of the pause, at most 365 days from now
     * @param reason the reason, at most 256 characters; skipped calls report it
     * @param by the name of the person who pauses the keys; cut at 128 characters
     * @return the pause as it was stored
     * @throws LeaseException if this manager does not use pauses, or is closed
     * @throws LeaseStoreException if requests still fail when the store timeout is over, if others keep changing the
     *     pauses until then, or if the store rejects a request; the pause may have been stored
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the pause may be stored
     * @throws IllegalArgumentException if the key cannot be the key of a lease
     * @throws IllegalArgumentException if the end has passed or is too far away
     * @throws IllegalArgumentException if a text is malformed, or the reason is blank or too long
     * @throws IllegalArgumentException if the table has 100 other pauses, or all pauses together would exceed 32,000
     *     characters
     */
    LeasePause pause(String keyOrPrefix, Instant until, String reason, String by);

    /**
     * Lifts the pause of exactly this key or prefix. Throws the exceptions of
     * {@link #pause(String, Instant, String, String)}.
     *
     * @return the lifted pause; empty if there was none
     */
    Optional<LeasePause> resume(String keyOrPrefix);

    /**
     * Reads the pauses that have not ended, by one strongly consistent read; empty if this manager does not use pauses.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager uses pauses and is closed
     */
    List<LeasePause> list();
}
