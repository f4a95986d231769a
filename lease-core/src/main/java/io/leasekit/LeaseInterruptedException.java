package io.leasekit;

/**
 * Thrown if the calling thread is interrupted while it waits for a lease or for the table. The thread's interrupt flag
 * is set again. Anything that an interrupted acquire may have written is released in the background. Unchecked, because
 * a checked exception does not pass through annotated methods and lambdas.
 */
public final class LeaseInterruptedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message and the interrupt. */
    public LeaseInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
