package io.leasekit;

/**
 * Thrown if a call needs a held lease, but the lease was lost. A lease is lost if it ends without a release.
 * {@link #reason()} returns the reason of the loss.
 */
public final class LeaseLostException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final LeaseLossReason reason;

    /** Creates the exception with its message and the reason of the loss. */
    public LeaseLostException(String message, LeaseLossReason reason) {
        super(message, null);
        this.reason = reason;
    }

    /** Returns the reason of the loss. */
    public LeaseLossReason reason() {
        return reason;
    }
}
