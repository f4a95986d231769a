package io.leasekit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease was not to be had in the time given, because another holds it. The store answered: an outage is a
 * {@link LeaseStoreException}, never this.
 */
public final class LeaseUnavailableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable LeaseInfo holder;

    /** Creates the error with its text and what the table last showed of the holder ({@code null}: nothing). */
    public LeaseUnavailableException(String message, @Nullable LeaseInfo holder) {
        super(message, null);
        this.holder = holder;
    }

    /** Returns what the table last showed of the holder: owner, since when, until when at the latest. */
    public Optional<LeaseInfo> holder() {
        return Optional.ofNullable(holder);
    }
}
