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
 *       even if both are in one process.
 *   <li>The work gets the signal to stop when the lease's remaining validity is the
 *       {@linkplain ElectionSettings#stopTimeout stop timeout} or less. The work also gets the signal when the lease is
 *       lost or not known to be held, after {@link #resign()}, and when the election or the manager is closed.
 * </ul>
 *
 * <p>Limits:
 *
 * <ul>
 *   <li>The work may ignore the signal to stop. If the work still runs when the validity of its lease has ended,
 *       another process may lead at the same time. If the work still runs when the stop timeout has passed since the
 *       signal, the election logs a WARN, and {@link #stoppingFor()} is longer than the stop timeout.
 *   <li>If a process was paused, its work may write after the lease has ended and before the work gets the signal. A
 *       {@link Lease#conditionCheck()} makes a late write fail once another owner has acquired the lease.
 *   <li>The work may get the signal to stop although the lease is still held. After a clock jump or a suspend of the
 *       machine, the work gets the signal within a second of running time, even if the next renewal shows that the
 *       lease is still held.
 * </ul>
 *
 * <p>The signal to stop interrupts the thread of the work once. From the signal on, {@link #isLeader()} returns
 * {@code false}. The work should close its resources and return. The lease is released when the work has returned or
 * failed. After the end of a term, and after a failed campaign, this process campaigns again when the
 * {@linkplain ElectionSettings#backoff backoff} has passed.
 *
 * <p>A campaign has no time limit and uses no thread. A campaign reads the table about once a second, like any waiter.
 * To leave an election, close its {@code LeaderElection}. Closing the manager closes all its elections. Thread-safe.
 *
 * @see LeaseManager#elect(LeaseRequest, Work)
 */
public interface LeaderElection extends AutoCloseable {

    /** The work of a leader. */
    @FunctionalInterface
    interface Work {

        /**
         * Does the work until the work is done or its thread is interrupted. The election calls this method once for
         * each term, on a new thread of {@link ElectionSettings#threads}. If the work throws an exception, the election
         * logs the exception: at DEBUG if the work had got the signal to stop, at WARN if not.
         *
         * @param lease the lease of this term; the election releases it, so do not close it
         * @throws Exception if the work fails; the exception ends the term, as a normal return of the work does
         */
        void lead(Lease lease) throws Exception;
    }

    /** Returns the key of the election. */
    String key();

    /**
     * Returns whether this process leads and may continue. {@code true} means that the work runs or is about to begin,
     * has not got the signal to stop, and has a lease whose remaining validity is longer than the stop timeout. This
     * method sends no request.
     */
    boolean isLeader();

    /**
     * Returns the leader as the table shows it; empty if the table shows no leader. The leader may be a dead process
     * that no other process has replaced yet. If this process leads, this method sends no request, and the result does
     * not show when the lease ends. If this process does not lead, this method sends one strongly consistent read.
     *
     * @throws LeaseStoreException if the read fails
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws LeaseException if this process does not lead and the manager is closed
     */
    Optional<LeaseInfo> leader();

    /**
     * Returns the time since the running work got the signal to stop; empty if no work runs, or if the work has not got
     * the signal. If the returned time is longer than the stop timeout, the work is late or stuck. This method sends no
     * request.
     */
    Optional<Duration> stoppingFor();

    /**
     * Returns the stop timeout: the time that the work has, after the signal to stop, before the lease's validity ends.
     */
    Duration stopTimeout();

    /**
     * Ends the term of this process, so that another process can lead. Signals the work to stop, and returns at once.
     * The lease is released when the work has returned. If the work has not begun when this method is called, the work
     * does not begin before the next backoff has passed, even if this process is granted the lease at the same moment.
     */
    void resign();

    /**
     * Leaves the election. Signals the work to stop, then waits until the work has returned and the lease is released.
     * This method waits at most for the stop timeout plus the timeout of one request. Work that has not returned when
     * this wait ends continues, and the work's lease stays held until the work returns. This method never throws. An
     * interrupt ends the wait, and the thread's interrupt flag is set again.
     */
    @Override
    void close();

    /**
     * Leaves the election as {@link #close()} does, without waiting.
     *
     * @return a stage that completes normally once the work has returned and its lease is released or has expired. If
     *     no work runs and no release is in progress, the stage completes at once. If the store does not answer the
     *     release, the stage completes when the manager's close timeout, but at least 1 s and at most 5 s, has passed
     *     since the work returned. Even after the stage has completed, the manager retries an unanswered release in the
     *     background
     */
    CompletionStage<Void> closeAsync();
}
