package io.leasekit;

/**
 * Thrown if the requested run ({@link LeaseRequest#once(String)}) is already done. With {@link OnceOrder#GROWING}, also
 * thrown if a run with a larger name is done. If another owner holds the lease, the caller gets a
 * {@link LeaseUnavailableException} instead.
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
