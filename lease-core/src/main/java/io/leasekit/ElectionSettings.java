package io.leasekit;

import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link LeaderElection}. Immutable: the methods with a parameter return a changed copy. Thread-safe.
 */
public final class ElectionSettings {

    private static final ElectionSettings DEFAULTS = new ElectionSettings(null, Duration.ofSeconds(2), null);

    private final @Nullable Duration stopTimeout;
    private final Duration backoff;
    private final @Nullable ThreadFactory threads;

    private ElectionSettings(@Nullable Duration stopTimeout, Duration backoff, @Nullable ThreadFactory threads) {
        this.stopTimeout = stopTimeout;
        this.backoff = backoff;
        this.threads = threads;
    }

    /** Returns the default settings. */
    public static ElectionSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with this stop timeout: the time between the signal to stop and the end of the validity. It must
     * be at most a third of the ttl, or of {@code holdAtMost} if that is shorter, which {@link LeaseManager#elect} checks. The
     * default is a quarter of the same.
     *
     * @throws IllegalArgumentException if the timeout is zero or negative
     */
    public ElectionSettings stopTimeout(Duration value) {
        Checks.POSITIVE.check("stopTimeout", value);
        return new ElectionSettings(value, backoff, threads);
    }

    /**
     * Returns a copy with this pause between the end of a term and the next campaign; by default 2 s. It doubles after
     * each failed campaign and after each term shorter than a minute that failed or lost its lease, up to a minute. Any
     * other term resets it. Each pause is shortened by a random part of up to half, so several nodes do not campaign at
     * the same time.
     *
     * @throws IllegalArgumentException if the pause is zero, negative or longer than 365 days
     */
    public ElectionSettings backoff(Duration value) {
        Checks.POSITIVE_BOUNDED.check("backoff", value);
        return new ElectionSettings(stopTimeout, value, threads);
    }

    /**
     * Returns a copy whose work runs on threads of this factory, one for each term. The factory is called on a thread of
     * the library and must not block. By default, the threads are daemons named {@code lease-leader-<key>}.
     */
    public ElectionSettings threads(ThreadFactory value) {
        return new ElectionSettings(stopTimeout, backoff, value);
    }

    /** Returns the stop timeout; {@code null} for the default. */
    public @Nullable Duration stopTimeout() {
        return stopTimeout;
    }

    /** Returns the first pause before another campaign. */
    public Duration backoff() {
        return backoff;
    }

    /** Returns the source of the work's threads; {@code null} for the default one. */
    public @Nullable ThreadFactory threads() {
        return threads;
    }

    @Override
    public String toString() {
        return Text.record("ElectionSettings", "stopTimeout, backoff", stopTimeout, backoff);
    }
}
