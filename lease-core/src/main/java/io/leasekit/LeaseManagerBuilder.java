package io.leasekit;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Builds a {@link LeaseManager}. Every setting has a default; {@link #build()} checks all of them together. Not
 * thread-safe.
 */
public interface LeaseManagerBuilder {

    /**
     * Sets the owner's name, which the table shows to other processes; by default {@code application@host/pid-4hex}, or
     * {@code java@…} without an application. If processes share a name, leases stay safe. But waiters cannot
     * distinguish these processes, so they choose less suitable delays.
     */
    LeaseManagerBuilder owner(String value);

    /**
     * Sets the name of the application, which must be the same on all its nodes; by default the table shows none. The
     * name must not be blank, and has at most 1,024 characters. If another application holds a key or has done its run,
     * the manager logs one WARN. Without this check, two applications that share a table by mistake would take each
     * other's jobs and leaders unnoticed.
     */
    LeaseManagerBuilder application(String value);

    /**
     * Sets whether other applications use the same keys on purpose. If so, the manager logs no WARN about them; by
     * default {@code false}.
     */
    LeaseManagerBuilder keySharing(boolean value);

    /**
     * Sets the validity of one grant or renewal, from 2 s to 365 days; by default 60 s. After a crash, the key stays
     * taken for about this long.
     */
    LeaseManagerBuilder ttl(Duration value);

    /** Sets the interval between renewals, at most half of the ttl; by default a third of the ttl. */
    LeaseManagerBuilder heartbeatInterval(Duration value);

    /**
     * Sets how long an acquire is retried while the store fails; by default 6 s. A request that waits longer is retried
     * for as long as it waits.
     */
    LeaseManagerBuilder storeTimeout(Duration value);

    /**
     * Sets how long {@link LeaseManager#close()} waits for leases that are still held; by default 30 s. The same
     * timeout, but at least 1 s and at most 5 s, limits the wait for releases.
     */
    LeaseManagerBuilder closeTimeout(Duration value);

    /** Sets the effect of a release on the item; by default {@link ReleaseMode#RETAIN}. */
    LeaseManagerBuilder releaseMode(ReleaseMode value);

    /**
     * Sets how long an item is kept after the release or the following hold, at least 15 minutes; by default 7 days.
     */
    LeaseManagerBuilder retention(Duration value);

    /**
     * Sets how long an item is kept if it records a completed run ({@link LeaseRequest#once}) or progress; at least the
     * retention. The default is 400 days, or the retention if that is longer.
     */
    LeaseManagerBuilder onceRetention(Duration value);

    /**
     * Sets the number of past runs that the item of a key keeps for display, from 0 to 50; by default 0. The release
     * writes the history if the work has {@linkplain Lease#recordRun(LeaseRunOutcome, Throwable) recorded its end}. The
     * history needs no request of its own. But each run adds about 90 bytes to every write and read of the item, up to
     * 32 KB for all runs.
     *
     * <p>The history includes failed runs that are to be retried. The history also includes runs whose holder died: the
     * next holder writes them by one renewal, before its work begins. Leases of several keys, permits and runs in
     * {@linkplain OnceOrder#ANY any order} have no history.
     */
    LeaseManagerBuilder runHistory(int value);

    /**
     * Sets how many callers of this process may wait for one key, besides the caller that sends requests; by default
     * 1,000. Any further caller fails with a {@link LeaseException}.
     */
    LeaseManagerBuilder maxWaitersPerKey(int value);

    /**
     * Sets whether a release may continue in the background after {@link Lease#close()}; by default {@code true}. A
     * process that is frozen between calls, as on AWS Lambda, needs {@code false}. In that case, a short hold
     * ({@link LeaseRequest#holdAtLeast}) is written to the table and ends about 5 to 8 s after the acquire.
     */
    LeaseManagerBuilder releaseInBackground(boolean value);

    /**
     * Sets whether this manager uses {@link LeasePauses}; by default {@code false}. If so, an acquire first reads
     * the pauses of the table, unless they were read within the last 5 s.
     */
    LeaseManagerBuilder pauses(boolean value);

    /** Adds a listener. The manager calls its listeners in the order in which they were added. */
    LeaseManagerBuilder listener(LeaseListener value);

    /** Adds a monitor. */
    LeaseManagerBuilder monitor(LeaseMonitor value);

    /**
     * Sets the executor that runs listeners and dependent stages. These are the stages of
     * {@link LeaseManager#acquireAsync}, {@link Lease#releaseAsync()}, {@link Progress#saveAsync},
     * {@link LeaseManager#closeAsync()} and {@link LeaderElection#closeAsync()}. By default, up to 4 daemon threads
     * {@code lease-callback-n} run listeners, and up to 16 daemon threads {@code lease-grant-n} run stages. Losses do
     * not need this executor: they have threads of their own.
     *
     * <p>The executor must run tasks on threads that may block. If it rejects an event, the event is dropped. If it
     * rejects a grant, the lease is released again and its future fails. If it rejects another result, a thread for
     * losses delivers the result. The manager does not close the executor.
     */
    LeaseManagerBuilder callbackExecutor(Executor value);

    /**
     * Builds the manager. Before its first use, the manager starts no thread and sends no request.
     *
     * @throws IllegalArgumentException if a setting is out of range or contradicts another setting
     */
    LeaseManager build();
}
