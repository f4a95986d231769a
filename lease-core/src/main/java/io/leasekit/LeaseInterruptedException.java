package io.leasekit;

/**
 * Thrown if the calling thread is interrupted while it waits for a lease or for the table. The thread's interrupt flag
 * is set again. If an acquire is interrupted, the lease that it may have written is released in the background. This
 * exception is unchecked, because annotated methods and lambdas cannot throw a checked exception that they do not
 * declare.
 */
public final class LeaseInterruptedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and the exception that reported the interrupt. */
    public LeaseInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
