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
     * Returns a copy with this stop timeout: the time from the signal to stop until the lease's validity ends.
     * {@link LeaseManager#elect} checks that the stop timeout is at most a third of the ttl or of {@code holdAtMost},
     * whichever is shorter. The default stop timeout is a quarter of the ttl or of {@code holdAtMost}, whichever is
     * shorter.
     *
     * @throws IllegalArgumentException if the timeout is zero or negative
     */
    public ElectionSettings stopTimeout(Duration value) {
        Checks.POSITIVE.check("stopTimeout", value);
        return new ElectionSettings(value, backoff, threads);
    }

    /**
     * Returns a copy with this backoff: the pause between the end of a term and the next campaign; by default 2 s. Each
     * failed campaign doubles the pause, up to a minute. The pause also doubles after a term of less than a minute
     * whose work failed or whose lease was lost. After any other term, the pause has its original length again. Each
     * pause is shortened by a random part of up to half, so that several nodes do not campaign at the same time.
     *
     * @throws IllegalArgumentException if the pause is zero, negative or longer than 365 days
     */
    public ElectionSettings backoff(Duration value) {
        Checks.POSITIVE_BOUNDED.check("backoff", value);
        return new ElectionSettings(stopTimeout, value, threads);
    }

    /**
     * Returns a copy whose work runs on threads that this factory creates: a new thread for each term. The library
     * calls the thread factory on a thread of its own, so the factory must not block. By default, the threads are
     * daemons named {@code lease-leader-<key>}.
     */
    public ElectionSettings threads(ThreadFactory value) {
        return new ElectionSettings(stopTimeout, backoff, value);
    }

    /** Returns the stop timeout; {@code null} for the default. */
    public @Nullable Duration stopTimeout() {
        return stopTimeout;
    }

    /** Returns the original length of the pause between the end of a term and the next campaign. */
    public Duration backoff() {
        return backoff;
    }

    /** Returns the factory that creates the threads of the work; {@code null} for the default threads. */
    public @Nullable ThreadFactory threads() {
        return threads;
    }

    @Override
    public String toString() {
        return Text.record("ElectionSettings", "stopTimeout, backoff", stopTimeout, backoff);
    }
}
