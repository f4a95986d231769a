package io.leasekit;

/**
 * Thrown if the requested run ({@link LeaseRequest#once(String)}) is already done. With {@link OnceOrder#GROWING}, a
 * requested run counts as done if a run with a larger name is done. If another owner holds the lease, the caller gets a
 * {@link LeaseUnavailableException} instead.
 */
public final class LeaseAlreadyRanException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final transient LeaseInfo shown;

    /** Creates the exception with its message and the state of the lease in the table. */
    public LeaseAlreadyRanException(String message, LeaseInfo shown) {
        super(message, null);
        this.shown = shown;
    }

    /** Returns the lease, with its last completed run, as the table showed it when the acquire was refused. */
    public LeaseInfo shown() {
        return shown;
    }
}
