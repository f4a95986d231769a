package io.leasekit;

/**
 * The lease was asked for a run ({@link LeaseRequest#once(String)}) that is done already, or before one that is. Nobody need hold
 * the lease: who is kept out by a holder gets a {@link LeaseUnavailableException}.
 */
public final class LeaseAlreadyRanException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final transient LeaseInfo shown;

    /** Creates the error with its text and what the table showed. */
    public LeaseAlreadyRanException(String message, LeaseInfo shown) {
        super(message, null);
        this.shown = shown;
    }

    /** Returns what the table showed, with the last run. */
    public LeaseInfo shown() {
        return shown;
    }
}
