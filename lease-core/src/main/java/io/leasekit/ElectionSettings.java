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
     * Returns a copy with this stop timeout: the time between the signal to stop and the end of the lease's validity.
     * {@link LeaseManager#elect} accepts at most a third of the ttl or of {@code holdAtMost}, whichever is shorter. The
     * default is a quarter of the ttl or of {@code holdAtMost}, whichever is shorter.
     *
     * @throws IllegalArgumentException if the timeout is zero or negative
     */
    public ElectionSettings stopTimeout(Duration value) {
        Checks.POSITIVE.check("stopTimeout", value);
        return new ElectionSettings(value, backoff, threads);
    }

    /**
     * Returns a copy with this backoff: the pause between the end of a term and the next campaign; by default 2 s. The
     * pause doubles, up to a minute, when a campaign fails. It also doubles when the work fails or loses its lease
     * within its first minute. A longer term, or a term that ends normally, resets the pause. Each pause is randomly
     * shortened by up to half, so that several nodes do not campaign at the same time.
     *
     * @throws IllegalArgumentException if the pause is zero, negative or longer than 365 days
     */
    public ElectionSettings backoff(Duration value) {
        Checks.POSITIVE_BOUNDED.check("backoff", value);
        return new ElectionSettings(stopTimeout, value, threads);
    }

    /**
     * Returns a copy with this factory, which creates a new thread for the work of each term. The election calls the
     * factory on an internal thread, so the factory must not block. By default, the threads are daemons named
     * {@code lease-leader-<key>}.
     */
    public ElectionSettings threads(ThreadFactory value) {
        return new ElectionSettings(stopTimeout, backoff, value);
    }

    /** Returns the stop timeout; {@code null} for the default. */
    public @Nullable Duration stopTimeout() {
        return stopTimeout;
    }

    /** Returns the backoff before any doubling: the pause between the end of a term and the next campaign. */
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
