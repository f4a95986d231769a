package io.leasekit;

/**
 * The request's run ({@link LeaseRequest#once(String)}) is already done, or precedes one that is done. This does not
 * depend on a holder: a caller that finds the lease held gets a {@link LeaseUnavailableException}.
 */
public final class LeaseAlreadyRanException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final transient LeaseInfo shown;

    /** Creates the exception with its message and the item that the table showed. */
    public LeaseAlreadyRanException(String message, LeaseInfo shown) {
        super(message, null);
        this.shown = shown;
    }

    /** Returns the item that the table showed, with the last run. */
    public LeaseInfo shown() {
        return shown;
    }
}
