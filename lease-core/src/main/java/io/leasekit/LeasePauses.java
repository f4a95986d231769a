package io.leasekit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The pauses of a table. While a key is paused, no acquire of it is granted; leases that are held are renewed as usual.
 * A pause ends at its time, or when it is lifted.
 *
 * <p>A pause applies to all managers of the table that were built with {@link LeaseManagerBuilder#pauses}. From 5 s
 * after the pause was written, none of them sends an acquire of the key. An acquire that was sent before that may still
 * be granted within 2 s. A manager that cannot read the pauses uses those that it read last. A manager without that
 * setting, or of a version without pauses, ignores them. Once a pause is lifted, waiters continue within 5 s. To be
 * sure that no work runs, pause the key, then wait until it is free.
 *
 * <p>A paused acquire behaves as if another owner held the lease: it waits for as long as its request does, and then
 * ends with a {@link LeaseUnavailableException} that names the pause. A lease of several keys is paused if one of its
 * keys is paused.
 *
 * <p>A key ends with {@code *} to pause all keys that begin with the text before it: {@code reports/*}, or {@code *} for
 * all keys of the table. All methods but {@link #isEnabled} send requests and block. Thread-safe.
 */
public interface LeasePauses {

    /** Returns whether this manager was built with {@link LeaseManagerBuilder#pauses}. */
    boolean isEnabled();

    /** Pauses in the name of the manager's owner; see {@link #pause(String, Instant, String, String)}. */
    LeasePause pause(String keyOrPrefix, Instant until, String reason);

    /**
     * Pauses a key or a prefix. Replaces an earlier pause of the same key or prefix.
     *
     * @param until the end, at most 365 days from now
     * @param reason the reason, with at most 256 characters; skipped calls report it
     * @param by the person who pauses; cut at 128 characters
     * @return the pause as it was stored
     * @throws LeaseException if this manager does not take part in pauses, or if it is closed
     * @throws LeaseStoreException if requests still fail, or others change the pauses first, when the store timeout is over, or if
     *     the store rejects a request; the pause may have been stored
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the pause may be stored
     * @throws IllegalArgumentException if the key cannot be that of a lease, if the end has passed or is too far away,
     *     if a text is malformed, the reason is blank or too long, if the table has 100 other pauses, or if the
     *     pauses of the table would be longer than 32,000 characters together
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
     * Reads the pauses that have not ended, by one strongly consistent read; empty if this manager does not take part in
     * pauses.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if the manager takes part in pauses and is closed
     */
    List<LeasePause> list();
}
