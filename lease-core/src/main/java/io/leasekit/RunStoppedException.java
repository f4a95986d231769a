package io.leasekit;

/**
 * Thrown by work that was asked to stop before it was done.
 *
 * <p>If an annotated method throws this exception while {@link Lease#stopRequested()} is {@code true}, it has neither
 * succeeded nor failed; the outcome is {@link LeaseRunOutcome#STOPPED}. The lease is released at once, without a hold
 * and without waiting for the reply. The run is not done and its progress is kept, so another owner can continue. The
 * scheduler of a scheduled method sees no error; every other caller gets this exception.
 *
 * <p>If no stop was requested, this exception counts as a failure, like any other exception.
 */
public final class RunStoppedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message is for people, for example how far the work has come. */
    public RunStoppedException(String message) {
        super(message, null);
    }
}
