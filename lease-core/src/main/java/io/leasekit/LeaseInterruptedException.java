package io.leasekit;

/**
 * The calling thread was interrupted while it waited for a lease. The thread's interrupt flag is set again; what may have
 * been written is released in the background.
 */
public final class LeaseInterruptedException extends LeaseException {

    private static final long serialVersionUID = 1L;

    /** Creates the error with its text and the interrupt. */
    public LeaseInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
