package io.leasekit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease was not granted within the request's wait, because another owner holds it, because it is paused ({@link
 * LeasePauses}), or because this process has as many of its permits as it may have. The store has answered; in an outage,
 * a {@link LeaseStoreException} is thrown instead.
 */
public final class LeaseUnavailableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable LeaseInfo holder;
    private final transient @Nullable LeasePause pause;

    /**
     * Creates the exception with its message and the holder as the table last showed it; {@code null} if it showed
     * none.
     */
    public LeaseUnavailableException(String message, @Nullable LeaseInfo holder) {
        this(message, holder, null);
    }

    /** Creates the exception as {@link #LeaseUnavailableException(String, LeaseInfo)} does, with the pause. */
    public LeaseUnavailableException(String message, @Nullable LeaseInfo holder, @Nullable LeasePause pause) {
        super(message, null);
        this.holder = holder;
        this.pause = pause;
    }

    /**
     * Returns the holder as the table last showed it: its owner, the time of its acquire, and its latest expiry. Empty
     * if the table showed none, or if this process has as many permits as it may have.
     */
    public Optional<LeaseInfo> holder() {
        return Optional.ofNullable(holder);
    }

    /** Returns the pause that keeps all callers from the lease; empty if it is not paused. */
    public Optional<LeasePause> pause() {
        return Optional.ofNullable(pause);
    }
}
