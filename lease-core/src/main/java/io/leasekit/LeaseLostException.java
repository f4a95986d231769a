package io.leasekit;

/** The lease ended without a release while it was still needed; {@link #reason()} tells why. */
public final class LeaseLostException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final LeaseLossReason reason;

    /** Creates the error with its text and the reason of the loss. */
    public LeaseLostException(String message, LeaseLossReason reason) {
        super(message, null);
        this.reason = reason;
    }

    /** Returns why the lease was lost. */
    public LeaseLossReason reason() {
        return reason;
    }
}
