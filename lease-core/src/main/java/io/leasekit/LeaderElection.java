package io.leasekit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The election of a leader among the processes that share a table. While this process leads, the {@link Work} runs on a
 * thread of its own, under the lease of the election's key.
 *
 * <p>Guaranteed:
 *
 * <ul>
 *   <li>The work begins only under a valid lease. An election never runs its work twice at the same time. An election
 *       never begins the work after {@link #close()} or {@link #closeAsync()} was called.
 *   <li>The lease is not released before the work has returned, whatever ends the term. Until then, the lease is
 *       renewed, even if the work ignores the signal to stop. Two elections for one key exclude each other, also in one
 *       process.
 *   <li>The work gets the signal to stop when the remaining validity is the
 *       {@linkplain ElectionSettings#stopTimeout stop timeout} or less. The work also gets the signal when the lease is
 *       lost or not known to be held, after {@link #resign()}, and when the election or its manager is closed.
 * </ul>
 *
 * <p>Limits:
 *
 * <ul>
 *   <li>The work may ignore the signal. If it still runs when the validity has ended, another process may lead at the
 *       same time; {@link #stoppingFor()} and a WARN show that.
 *   <li>Writes may be late. A process that was paused may write before its work gets the signal;
 *       {@link Lease#conditionCheck()} makes that write fail.
 *   <li>A signal may be unnecessary. After a clock jump or a suspend, the work gets the signal within a second of
 *       running time, even if its lease later turns out to be held.
 * </ul>
 *
 * <p>The signal interrupts the thread of the work once, and {@link #isLeader()} returns {@code false} from then on. The
 * work should close its resources and return. The lease is released when the work has returned or failed. This process
 * campaigns again after the {@linkplain ElectionSettings#backoff backoff}. After a failed campaign, it does the same.
 *
 * <p>A campaign has no time limit and uses no thread. A campaign reads the table about once a second, like any waiter.
 * Close the election to leave it; closing the manager closes its elections. Thread-safe.
 *
 * @see LeaseManager#elect(LeaseRequest, Work)
 */
public interface LeaderElection extends AutoCloseable {

    /** The work of a leader. */
    @FunctionalInterface
    interface Work {

        /**
         * Does the work until it is done or its thread is interrupted. Called once for each term, on a new thread of
         * {@link ElectionSettings#threads}. The election logs exceptions of the work; after a signal to stop, only in
         * DEBUG.
         *
         * @param lease the lease of this term; the election releases it, so do not close it
         * @throws Exception for any reason; the term ends as if the work had returned
         */
        void lead(Lease lease) throws Exception;
    }

    /** Returns the key of the election. */
    String key();

    /**
     * Returns whether this process leads and may continue: the work has begun or is about to begin, it has no signal to
     * stop, and the lease is valid. Sends no request.
     */
    boolean isLeader();

    /**
     * Returns the leader as the table shows it; empty if there is none. The leader may be a dead process that no other
     * has replaced yet. If this process leads, sends no request, and the result does not show the end of the lease.
     * Otherwise sends one strongly consistent read.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if a read is needed and the manager is closed
     */
    Optional<LeaseInfo> leader();

    /**
     * Returns the time since the running work got the signal to stop; empty if no work runs or there was no signal. If
     * the time is longer than the stop timeout, the work is stuck. Sends no request.
     */
    Optional<Duration> stoppingFor();

    /** Returns the stop timeout: the time that the work has to return before the validity ends. */
    Duration stopTimeout();

    /**
     * Lets another process lead. Signals the work to stop, and returns at once. The lease is released when the work has
     * returned. If no work has begun, none begins before the next backoff has passed, even if a grant is under way.
     */
    void resign();

    /**
     * Leaves the election. Signals the work to stop, then waits for its return and for the release. The wait is limited
     * to the stop timeout and the timeout of one request. After that, the work goes on, and its lease stays held until
     * the work returns. Never throws. An interrupt ends the wait, and the thread's interrupt flag is set again.
     */
    @Override
    void close();

    /**
     * Leaves the election as {@link #close()} does, without waiting.
     *
     * @return a stage that completes normally once the work has returned and its lease is released or has expired; at
     *     once if no work runs and no release is under way. If the store does not answer, the stage completes when the
     *     manager's close timeout, but at least 1 s and at most 5 s, has passed since the work returned. The release is
     *     then retried in the background
     */
    CompletionStage<Void> closeAsync();
}
