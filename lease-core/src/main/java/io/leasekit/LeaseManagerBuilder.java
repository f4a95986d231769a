package io.leasekit;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Builds a {@link LeaseManager}. Every setting has a default. {@link #build()} checks the settings. Not thread-safe.
 */
public interface LeaseManagerBuilder {

    /**
     * Sets the owner's name, which the table shows to other processes. The default name is
     * {@code application@host/pid-4hex}; it begins with {@code java@} if no application is set. Leases stay safe if
     * several processes have the same owner name. But waiters choose their retry delays by the number of owner names,
     * so processes should have different names.
     */
    LeaseManagerBuilder owner(String value);

    /**
     * Sets the name of the application, which must be the same on all its nodes. By default, the table shows no
     * application name. The name must not be blank, and has at most 1,024 characters. If another application holds a
     * key that this manager requests, or has done the requested run, the manager logs one WARN for the key. Without
     * application names, no log line shows that two applications block each other by using the same keys.
     */
    LeaseManagerBuilder application(String value);

    /**
     * Sets whether other applications use the same keys on purpose; by default {@code false}. If {@code true}, the
     * manager logs no WARN when another application holds a requested key or has done the requested run.
     */
    LeaseManagerBuilder keySharing(boolean value);

    /**
     * Sets the ttl: the validity of one grant or renewal, from 2 s to 365 days; by default 60 s. After a crash of the
     * holder, the key stays taken for about one ttl.
     */
    LeaseManagerBuilder ttl(Duration value);

    /** Sets the interval between renewals, at most half of the ttl; by default a third of the ttl. */
    LeaseManagerBuilder heartbeatInterval(Duration value);

    /**
     * Sets the store timeout: how long an acquire is retried while the store fails; by default 6 s. If the request's
     * {@code waitFor} is longer than the store timeout, the acquire is retried for the whole {@code waitFor}.
     */
    LeaseManagerBuilder storeTimeout(Duration value);

    /**
     * Sets the close timeout: how long {@link LeaseManager#close()} waits for leases that are still held; by default 30
     * s.
     */
    LeaseManagerBuilder closeTimeout(Duration value);

    /** Sets the effect of a release on the lease's item; by default {@link ReleaseMode#RETAIN}. */
    LeaseManagerBuilder releaseMode(ReleaseMode value);

    /**
     * Sets the retention: how long an item stays in the table after the release of its lease; at least 15 minutes; by
     * default 7 days. The retention begins only when {@code holdAtLeast} and {@code cooldown} have ended.
     */
    LeaseManagerBuilder retention(Duration value);

    /**
     * Sets the once-retention: how long an item stays in the table if it records a completed run
     * ({@link LeaseRequest#once}) or progress. The once-retention must not be shorter than the retention. The default
     * is 400 days or the retention, whichever is longer.
     */
    LeaseManagerBuilder onceRetention(Duration value);

    /**
     * Sets the number of past runs that the item of a key contains for display, from 0 to 50; by default 0. The release
     * writes the history if the outcome of the work was
     * {@linkplain Lease#recordRun(LeaseRunOutcome, Throwable) recorded}. In most cases, the history causes no
     * additional request. But each past run adds about 90 bytes to the item, and so to every read and write. All past
     * runs of a key together have at most 32 KB.
     *
     * <p>The history includes failed runs that are to be retried, and runs whose holder died. To add the run of a dead
     * holder, the next holder sends one renewal before its own work begins. Leases of several keys, permits and runs in
     * {@linkplain OnceOrder#ANY any order} have no history.
     */
    LeaseManagerBuilder runHistory(int value);

    /**
     * Sets how many callers of this process may wait for one key; by default 1,000. If this number of callers already
     * wait for the key, any other acquire of the key fails with a {@link LeaseException}. A caller that currently sends
     * requests for the key to the table does not count as waiting.
     */
    LeaseManagerBuilder maxWaitersPerKey(int value);

    /**
     * Sets whether a release may continue in the background after {@link Lease#close()}; by default {@code true}. Set
     * {@code false} if the process is frozen between calls, as on AWS Lambda, because a frozen process sends no
     * release. With {@code false}, even a short {@link LeaseRequest#holdAtLeast} lasts until about 5 to 8 s after the
     * acquire.
     */
    LeaseManagerBuilder releaseInBackground(boolean value);

    /**
     * Sets whether this manager uses {@link LeasePauses}; by default {@code false}. If {@code true}, an acquire first
     * reads the pauses of the table, unless the manager has read the pauses within the last 5 s.
     */
    LeaseManagerBuilder pauses(boolean value);

    /**
     * Adds a listener, which gets the manager's lease events. For each event, the manager calls the listeners in the
     * order in which they were added.
     */
    LeaseManagerBuilder listener(LeaseListener value);

    /** Adds a monitor, which gets the manager's measurements. */
    LeaseManagerBuilder monitor(LeaseMonitor value);

    /**
     * Sets the callback executor, which runs listeners and the dependent stages of {@link LeaseManager#acquireAsync},
     * {@link Lease#releaseAsync()}, {@link Progress#saveAsync}, {@link LeaseManager#closeAsync()} and
     * {@link LeaderElection#closeAsync()}. By default, up to 4 daemon threads {@code lease-callback-n} run listeners,
     * and up to 16 daemon threads {@code lease-grant-n} run dependent stages. Lost leases are reported on other
     * threads, which the manager reserves for losses.
     *
     * <p>The executor must run tasks on threads that may block. An event that the executor rejects is dropped. If the
     * executor rejects a granted lease, the lease is released and the future of the acquire fails. Any other result
     * that the executor rejects, such as the end of a release, is delivered on a thread reserved for losses. The
     * manager does not close the executor.
     */
    LeaseManagerBuilder callbackExecutor(Executor value);

    /**
     * Builds the manager. The manager starts no thread and sends no request before one of its methods is used.
     *
     * @throws IllegalArgumentException if a setting is out of range or contradicts another setting
     */
    LeaseManager build();
}
