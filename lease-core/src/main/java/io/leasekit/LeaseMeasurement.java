package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that a manager has just done, and how long it took; durations are those of the monotonic clock.
 *
 * <p>A lease of several keys is measured once, by the first of them. Names are those of {@link LeaseRequest#named(String)}, {@code null} where a request has none. Keys are as many as the
 * application makes of them: they are for traces, never for tags of meters.
 */
public sealed interface LeaseMeasurement {

    /**
     * An acquire call has ended.
     *
     * @param key the lease's key
     * @param name the request's name; {@code null}: it has none
     * @param outcome how it ended
     * @param took how long it took, all attempts and waiting included
     * @param waited how long of that it waited because another held the lease; zero: it did not
     */
    record AcquireEnded(String key, @Nullable String name, AcquireOutcome outcome, Duration took, Duration waited)
            implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("AcquireEnded", "key, name, outcome, took, waited", key, name, outcome, took, waited);
        }
    }

    /** How an acquire call ends. */
    enum AcquireOutcome {
        /** With the lease. */
        GRANTED,
        /** Another held it for as long as the request waited. */
        UNAVAILABLE,
        /** The run that it was for is done. */
        ALREADY_RAN,
        /** The store did not do what was asked. */
        FAILED,
        /** Its caller was interrupted or cancelled it, or the manager was closed. */
        GIVEN_UP
    }

    /**
     * A lease was handed out. Key and token together tell it from all others.
     *
     * @param key the lease's key
     * @param name the request's name; {@code null}: it has none
     * @param fencingToken the lease's token
     */
    record LeaseBegan(String key, @Nullable String name, long fencingToken) implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("LeaseBegan", "key, name, fencingToken", key, name, fencingToken);
        }
    }

    /**
     * A lease has ended: its release was begun, or it was lost.
     *
     * @param key the lease's key
     * @param name the request's name; {@code null}: it has none
     * @param fencingToken the lease's token
     * @param heldFor how long it had been held
     * @param lost why it was lost; {@code null}: it was released
     */
    record LeaseEnded(
            String key,
            @Nullable String name,
            long fencingToken,
            Duration heldFor,
            @Nullable LeaseLossReason lost) implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record(
                    "LeaseEnded", "key, name, fencingToken, heldFor, lost", key, name, fencingToken, heldFor, lost);
        }
    }

    /**
     * Work under a lease ended, as its holder told by {@link Lease#recordRun(LeaseRunOutcome)}, and the release that is to record it
     * was begun.
     *
     * @param key the lease's key
     * @param name the request's name, not that of the run; {@code null}: it has none
     * @param outcome how it ended
     * @param took how long it took, from the acquire on
     */
    record RunEnded(String key, @Nullable String name, LeaseRunOutcome outcome, Duration took)
            implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("RunEnded", "key, name, outcome, took", key, name, outcome, took);
        }
    }

    /**
     * A renewal was answered, or its time is over.
     *
     * @param key the lease's key
     * @param name the request's name; {@code null}: it has none
     * @param outcome what came of it
     * @param took how long it took
     * @param lag how long after it was due it was sent
     * @param remaining how long the lease would still have been valid without it when its answer came; negative: it came too
     *     late
     */
    record RenewalEnded(
            String key, @Nullable String name, RenewalOutcome outcome, Duration took, Duration lag, Duration remaining)
            implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record(
                    "RenewalEnded",
                    "key, name, outcome, took, lag, remaining",
                    key,
                    name,
                    outcome,
                    took,
                    lag,
                    remaining);
        }
    }

    /** What comes of a renewal. */
    enum RenewalOutcome {
        /** The end of the lease was moved. */
        APPLIED,
        /** The table shows another version: one of this lease's own whose reply was lost, or the lease is lost. */
        REFUSED,
        /** The store failed or did not answer in time; it is tried again. */
        FAILED
    }

    /**
     * The store has answered a request.
     *
     * @param operation what was asked
     * @param outcome what came of it
     * @param took how long it took
     */
    record RequestEnded(Operation operation, RequestOutcome outcome, Duration took) implements LeaseMeasurement {}

    /** What a store is asked for. */
    enum Operation {
        /** Take a lease. */
        ACQUIRE,
        /** Move the end of a lease. */
        RENEW,
        /** Give a lease back. */
        RELEASE,
        /** Tell a holder that another process waits. */
        MARK,
        /** Take a lease from its holder. */
        REVOKE,
        /** Read an item. */
        READ,
        /** Look through a part of the table. */
        LIST
    }

    /** What comes of a request. */
    enum RequestOutcome {
        /** The write was applied, or the read answered. */
        APPLIED,
        /** The write's condition did not hold: in most cases another holds the lease, or held it before. */
        REFUSED,
        /** It failed and was surely not applied (throttling, transaction conflict, refused connection). */
        NOT_APPLIED,
        /** It failed and may have been applied (timeout, broken connection, server error). */
        UNKNOWN,
        /** It will not be applied until somebody changes something (access denied, no such table). */
        REJECTED;

        /** Returns whether the store failed to do what was asked. A refusal is no failure. */
        public boolean isFailure() {
            return this != APPLIED && this != REFUSED;
        }
    }

    /**
     * The store told what an answered request consumed. Refused writes are not told: each costs about one write unit.
     *
     * @param operation what was asked
     * @param units read units of a read, write units of a write
     */
    record CapacityConsumed(Operation operation, double units) implements LeaseMeasurement {}
}
