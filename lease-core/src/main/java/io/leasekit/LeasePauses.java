package io.leasekit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Pauses keys of a table, and shows and ends their pauses. While a key is paused, no acquire of the key is granted; held
 * leases are renewed as usual. A pause ends at its {@link LeasePause#until} time, or when {@link #resume} lifts the
 * pause.
 *
 * <p>A pause applies to all managers of the table that were built with {@link LeaseManagerBuilder#pauses}. At the
 * latest 5 s after a pause was written, managers stop sending acquires of the paused key. An acquire that a manager
 * sent before it noticed the pause may still be granted up to 2 s later. If a manager cannot read the pauses, it uses
 * the pauses that it read last. Managers that were built without {@code pauses}, and library versions without this
 * setting, ignore all pauses. After a pause was lifted, waiters for the key try again within 5 s. To be sure that no
 * work runs under a key, pause the key, and wait until the key is free.
 *
 * <p>An acquire of a paused key behaves as if another owner held the lease. If the pause does not end within the
 * request's {@code waitFor}, the acquire fails with a {@link LeaseUnavailableException} that names the pause. If one
 * key of a lease of several keys is paused, the lease is not granted.
 *
 * <p>To pause all keys with a prefix, put {@code *} after the prefix: {@code reports/*} pauses all keys that begin with
 * {@code reports/}, and {@code *} pauses all keys of the table. All methods except {@link #isEnabled} send requests and
 * block. Thread-safe.
 */
public interface LeasePauses {

    /** Returns whether this manager was built with {@link LeaseManagerBuilder#pauses}. */
    boolean isEnabled();

    /**
     * Pauses a key or a prefix, as {@link #pause(String, Instant, String, String)} does. The manager's owner name is
     * stored as the name of the person who pauses the keys.
     */
    LeasePause pause(String keyOrPrefix, Instant until, String reason);

    /**
     * Pauses a key or a prefix. Replaces an earlier pause of the same key or prefix.
     *
     * @param until the end of the pause, at most 365 days from now
     * @param reason the reason of the pause, at most 256 characters; refused acquires report the reason
     * @param by the name of the person who pauses the keys; only the first 128 characters are stored
     * @return the pause as it was stored
     * @throws LeaseException if this manager was built without {@link LeaseManagerBuilder#pauses}, or is closed
     * @throws LeaseStoreException if the store rejects a request, or if requests still fail or conflict with other
     *     changes when the store timeout has passed. The pause may have been stored in spite of the exception
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. The pause may have been stored, or
     *     may be stored a little later
     * @throws IllegalArgumentException if {@link LeaseRequest#of} refuses the key or prefix
     * @throws IllegalArgumentException if {@code until} has passed, or is more than 365 days from now
     * @throws IllegalArgumentException if the reason is blank or too long, or if the reason or {@code by} contains an
     *     unpaired surrogate
     * @throws IllegalArgumentException if the table has 100 other pauses, or all pauses together would exceed 32,000
     *     characters
     */
    LeasePause pause(String keyOrPrefix, Instant until, String reason, String by);

    /**
     * Lifts the pause of exactly this key or prefix. Throws the exceptions of
     * {@link #pause(String, Instant, String, String)}.
     *
     * @return the lifted pause; empty if there was no pause
     */
    Optional<LeasePause> resume(String keyOrPrefix);

    /**
     * Reads the pauses that have not ended, with one strongly consistent read. If this manager does not use pauses,
     * returns an empty list.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager was built with {@code pauses} and is closed
     */
    List<LeasePause> list();
}
