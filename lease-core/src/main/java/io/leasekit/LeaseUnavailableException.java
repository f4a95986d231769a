package io.leasekit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the lease is not granted within the request's wait: another owner holds the lease, the key is paused
 * ({@link LeasePauses}), or this process already holds all permits that it may have. If the store fails, a
 * {@link LeaseStoreException} is thrown instead.
 */
public final class LeaseUnavailableException extends LeaseException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable LeaseInfo holder;
    private final transient @Nullable LeasePause pause;

    /**
     * Creates the exception with its message and the holder that the table last showed. The holder is {@code null} if
     * the table showed no holder.
     */
    public LeaseUnavailableException(String message, @Nullable LeaseInfo holder) {
        this(message, holder, null);
    }

    /**
     * Creates the exception with its message, the holder that the table last showed, and the pause of the key. The
     * holder is {@code null} if the table showed no holder. The pause is {@code null} if the key is not paused.
     */
    public LeaseUnavailableException(String message, @Nullable LeaseInfo holder, @Nullable LeasePause pause) {
        super(message, null);
        this.holder = holder;
        this.pause = pause;
    }

    /**
     * Returns the holder that the table last showed, with the owner's name, the time of the acquire and the latest end
     * of the lease. Returns empty if the table showed no holder, or if this process already holds all the permits that
     * it may have.
     */
    public Optional<LeaseInfo> holder() {
        return Optional.ofNullable(holder);
    }

    /** Returns the pause of the key; empty if the key is not paused. */
    public Optional<LeasePause> pause() {
        return Optional.ofNullable(pause);
    }
}
