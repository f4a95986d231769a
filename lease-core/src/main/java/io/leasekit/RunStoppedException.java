package io.leasekit;

/**
 * Thrown by work that was asked to stop before it was done.
 *
 * <p>If an annotated method throws this exception while {@link Lease#stopRequested()} returns {@code true}, the run has
 * neither succeeded nor failed: its outcome is {@link LeaseRunOutcome#STOPPED}. The lease is released at once, without
 * {@code holdAtLeast} or {@code cooldown}, and the call does not wait for the store's reply. The stopped run does not
 * count as done, and its progress stays in the table, so another owner can continue the run. All callers of the
 * annotated method get this exception, except the scheduler of a scheduled method.
 *
 * <p>If no stop was requested, this exception counts as a failure, like any other exception.
 */
public final class RunStoppedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message, for example a message that says how far the work has come. */
    public RunStoppedException(String message) {
        super(message, null);
    }
}
