package io.leasekit;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Builds a {@link LeaseManager}. Every setting has a default; {@link #build()} checks all of them together. Not
 * thread-safe.
 */
public interface LeaseManagerBuilder {

    /**
     * Sets the owner's name as the table shows it to other processes; by default {@code application@host/pid-4hex}, or
     * {@code java@…} without an application. If processes
     * share a name, leases stay safe, but waiters take these processes for one, so their delays are less suitable.
     */
    LeaseManagerBuilder owner(String value);

    /**
     * Sets the name of the application that this process is a node of; by default the table shows none. It must be the
     * same on all nodes of the application, not blank, and at most 1,024 characters long. If another application holds
     * a key, or has done its run, one WARN is logged: otherwise, two applications that share a table by mistake would
     * take each other's jobs and leaders without any sign.
     */
    LeaseManagerBuilder application(String value);

    /**
     * Sets whether it is intended that other applications use the keys, too, which is then not logged; by default
     * {@code false}.
     */
    LeaseManagerBuilder keySharing(boolean value);

    /**
     * Sets the validity of one grant or renewal, from 2 s to 365 days; by default 60 s. After a crash, the key
     * stays taken for about this long.
     */
    LeaseManagerBuilder ttl(Duration value);

    /** Sets the interval between renewals, at most half of the ttl; by default a third of it. */
    LeaseManagerBuilder heartbeatInterval(Duration value);

    /**
     * Sets how long an acquire is retried while the store fails, unless its request waits longer; by default 6 s.
     */
    LeaseManagerBuilder storeTimeout(Duration value);

    /**
     * Sets how long {@link LeaseManager#close()} waits for leases that are still held; by default 30 s. It also limits the
     * wait for releases after the end of the work, which is at least 1 s and at most 5 s.
     */
    LeaseManagerBuilder closeTimeout(Duration value);

    /** Sets the effect of a release on the item; by default {@link ReleaseMode#RETAIN}. */
    LeaseManagerBuilder releaseMode(ReleaseMode value);

    /** Sets how long an item is kept after its release, or after the hold that follows, at least 15 minutes; by default 7 days. */
    LeaseManagerBuilder retention(Duration value);

    /**
     * Sets how long an item is kept if it records a completed run ({@link LeaseRequest#once}) or progress, at least the
     * retention; by default 400 days, or the retention if that is longer.
     */
    LeaseManagerBuilder onceRetention(Duration value);

    /**
     * Sets the number of last runs that the item of a key keeps, for display: from 0 to 50, by default 0. The release
     * writes them if the work has {@linkplain Lease#recordRun(LeaseRunOutcome, Throwable) reported its end}. They cost
     * no request, but each adds about 90 bytes to every write and read of the item, 32 KB in total at most. They
     * include failed runs that are to be retried, and runs whose holder died: the next holder writes these by one renewal,
     * before its work begins. There are none for leases of several keys, permits and runs in {@linkplain OnceOrder#ANY any order}.
     */
    LeaseManagerBuilder runHistory(int value);

    /**
     * Sets how many callers of this process may wait for one key, in addition to the one that sends requests; by
     * default 1,000. Any further caller fails with a {@link LeaseException}.
     */
    LeaseManagerBuilder maxWaitersPerKey(int value);

    /**
     * Sets whether a release may go on in the background after {@link Lease#close()}; by default {@code true}. A process
     * that is frozen between its calls, as on AWS Lambda, needs {@code false}: a short hold
     * ({@link LeaseRequest#holdAtLeast}) is then written to the table and ends about 5 to 8 s after the acquire.
     */
    LeaseManagerBuilder releaseInBackground(boolean value);

    /**
     * Sets whether this manager takes part in {@link LeasePauses}; by default {@code false}. If so, an acquire reads
     * the pauses of the table if the last read is 5 s old: one read with the first acquire, later at most one in 5 s.
     */
    LeaseManagerBuilder pauses(boolean value);

    /** Adds a listener. Listeners are called in the order in which they were added. */
    LeaseManagerBuilder listener(LeaseListener value);

    /** Adds a monitor. */
    LeaseManagerBuilder monitor(LeaseMonitor value);

    /**
     * Sets the executor that runs listeners and the dependents of the stages of {@link LeaseManager#acquireAsync},
     * {@link Lease#releaseAsync()}, {@link Progress#saveAsync}, {@link LeaseManager#closeAsync()} and
     * {@link LeaderElection#closeAsync()}; by default up to four daemon threads {@code lease-callback-n} for listeners and up
     * to 16 {@code lease-grant-n} for stages. Losses do not wait for it: they have threads of their own. The executor must run tasks on
     * threads that may block. If it rejects a task, an event is dropped, a granted lease is released again and its future
     * fails, and any other result comes on a thread for losses. The manager does not close the executor.
     */
    LeaseManagerBuilder callbackExecutor(Executor value);

    /**
     * Builds the manager. It starts no thread and sends no request before its first use.
     *
     * @throws IllegalArgumentException if a setting is out of its range or does not fit another one
     */
    LeaseManager build();
}
