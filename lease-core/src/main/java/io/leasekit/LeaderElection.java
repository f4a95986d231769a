package io.leasekit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The election of a leader among the processes that share a table. While this process leads, its {@link Work} runs on a
 * separate thread, under the lease of the election's key.
 *
 * <p>Guaranteed:
 *
 * <ul>
 *   <li>The work begins only under a valid lease. An election never runs its work twice at the same time. An election
 *       never begins the work after {@link #close()} or {@link #closeAsync()} was called.
 *   <li>The lease is not released before the work has returned, whatever ends the term. Until the work returns, the
 *       lease is renewed, even if the work ignores the signal to stop. Two elections for one key exclude each other,
 *       even within one process.
 *   <li>The work gets the signal to stop when the lease's remaining validity falls to the
 *       {@linkplain ElectionSettings#stopTimeout stop timeout}. The work gets the signal immediately if the lease is
 *       lost, if {@link #resign()} is called, or if the election or the manager is closed.
 * </ul>
 *
 * <p>Limits:
 *
 * <ul>
 *   <li>The work may ignore the signal to stop. If the work outlives its lease, another process may lead at the same
 *       time. If the work does not stop within the stop timeout, the election logs a WARN, and {@link #stoppingFor()}
 *       exceeds the stop timeout.
 *   <li>After a pause of the process, the work may write before it gets the signal that its lease has ended. A
 *       {@link Lease#conditionCheck()} makes a late write fail once another owner has acquired the lease.
 *   <li>If a clock jump or a suspend of the machine makes the lease uncertain, the work gets the signal within a
 *       second. The lease may still be held.
 * </ul>
 *
 * <p>The signal to stop interrupts the work's thread once. As soon as the work gets the signal to stop,
 * {@link #isLeader()} returns {@code false}. After the signal, the work should close its resources and return. After a
 * term or a failed campaign, this process waits for the {@linkplain ElectionSettings#backoff backoff}, and campaigns
 * again.
 *
 * <p>A campaign has no time limit and uses no thread. A campaign reads the table about once a second, like any waiter.
 * To leave an election, close its {@code LeaderElection}. Closing the manager closes all its elections. Thread-safe.
 *
 * @see LeaseManager#elect(LeaseRequest, Work)
 */
public interface LeaderElection extends AutoCloseable {

    /** The code that the leader runs. */
    @FunctionalInterface
    interface Work {

        /**
         * Does the work until the work is done or its thread is interrupted. The election calls this method once for
         * each term, on a new thread of {@link ElectionSettings#threads}. If the work throws an exception, the election
         * logs the exception: at DEBUG if the work had got the signal to stop, at WARN if not.
         *
         * @param lease the lease of this term; the election releases it, so do not close it
         * @throws Exception if the work fails; the exception ends the term, like a normal return
         */
        void lead(Lease lease) throws Exception;
    }

    /** Returns the key of the election. */
    String key();

    /**
     * Returns whether this process leads and has not got the signal to stop. {@code true} means that the work runs or
     * is about to begin, and that its lease stays valid for longer than the stop timeout. This method sends no request.
     */
    boolean isLeader();

    /**
     * Returns the leader as the table shows it; empty if the table shows no leader. The leader may be a dead process
     * that no other process has replaced yet. If this process leads, this method sends no request, and
     * {@code expiresAt} of the result is {@code null}. If this process does not lead, this method sends one strongly consistent read.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if this process does not lead and the manager is closed
     */
    Optional<LeaseInfo> leader();

    /**
     * Returns the time since the running work got the signal to stop; empty if no work runs or the work has not got the
     * signal. If the returned time is longer than the stop timeout, the work is late or stuck. This method sends no
     * request.
     */
    Optional<Duration> stoppingFor();

    /** Returns the stop timeout: the time between the signal to stop and the end of the lease's validity. */
    Duration stopTimeout();

    /**
     * Ends the leadership of this process, so that another process can lead. Signals the work to stop, and returns at
     * once. The lease is released when the work has returned. If the work has not begun, this process waits for the
     * backoff before it campaigns again.
     */
    void resign();

    /**
     * Leaves the election. Signals the work to stop, then waits until the work has returned and the lease is released.
     * This method waits at most for the stop timeout plus the timeout of one request. If the work runs for longer,
     * {@code close} returns, and the lease stays held until the work returns. This method never throws. An interrupt
     * ends the wait and leaves the thread's interrupt flag set.
     */
    @Override
    void close();

    /**
     * Leaves the election as {@link #close()} does, without waiting.
     *
     * @return a stage that completes normally once the work has returned and its lease is released or has expired. If
     *     no work runs and no release is in progress, the stage completes at once. If the store does not answer the
     *     release, the stage completes after the manager's close timeout, but at the earliest after 1 s and at the
     *     latest after 5 s. The manager retries an unanswered release in the background even after the stage has
     *     completed
     */
    CompletionStage<Void> closeAsync();
}
