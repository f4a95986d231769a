package io.leasekit;

/**
 * Thrown by work under a lease that was asked to stop, and that is not done.
 *
 * <p>If {@link Lease#stopRequested()} is {@code true}, an annotated method that throws it has neither succeeded nor failed.
 * Its lease is released at once, without waiting for the reply and without a hold, its run is not done, and its progress is
 * kept, so another owner can go on. The outcome is {@link LeaseRunOutcome#STOPPED}. The scheduler of a scheduled
 * method gets no error; every other caller gets this exception.
 *
 * <p>Without a request to stop, it is a failure as any other exception is.
 */
public final class RunStoppedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The message says how far the work has come; it is for people only. */
    public RunStoppedException(String message) {
        super(message, null);
    }
}
