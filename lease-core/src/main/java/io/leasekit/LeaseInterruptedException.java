package io.leasekit;

/**
 * The calling thread was interrupted while it waited for a lease or for the table. The thread's interrupt flag is set
 * again. Anything that an interrupted acquire may have written is released in the background. Unchecked, because a checked
 * exception does not pass through an annotated method or a lambda.
 */
public final class LeaseInterruptedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and the interrupt. */
    public LeaseInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
