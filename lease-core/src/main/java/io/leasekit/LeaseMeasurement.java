package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A measurement that a manager reports to its monitors. Durations are measured with the monotonic clock. Immutable, so
 * thread-safe.
 *
 * <p>A lease of several keys is measured once, under its first key. The names in measurements come from
 * {@link LeaseRequest#named(String)}. Use keys in traces, but never as tags of meters, because an application may use
 * any number of different keys.
 */
public sealed interface LeaseMeasurement {

    /**
     * An acquire call has ended.
     *
     * @param key the lease's key
     * @param name the request's name; {@code null} if the request has no name
     * @param outcome the outcome of the call
     * @param took the duration of the call, with all attempts and waits
     * @param waited the part of {@code took} in which the call waited for other owners or callers; zero if the call did
     *     not wait
     */
    record AcquireEnded(String key, @Nullable String name, AcquireOutcome outcome, Duration took, Duration waited)
            implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("AcquireEnded", "key, name, outcome, took, waited", key, name, outcome, took, waited);
        }
    }

    /** The outcome of an acquire call. */
    enum AcquireOutcome {
        /** The lease was granted. */
        GRANTED,
        /**
         * The lease was not granted within the request's wait: another owner held the lease, the key was paused, or no
         * permit was free.
         */
        UNAVAILABLE,
        /** The requested run is already done. */
        ALREADY_RAN,
        /** The store failed, or an unexpected error occurred. */
        FAILED,
        /**
         * The acquire was given up: the caller was interrupted or cancelled the acquire, the manager was closed, or too
         * many callers waited.
         */
        GIVEN_UP
    }

    /**
     * A lease was granted and passed to its caller. The key and the token together identify the lease.
     *
     * @param key the lease's key; for a permit, the key of the permit's own item
     * @param name the request's name; {@code null} if the request has no name
     * @param fencingToken the lease's token
     */
    record LeaseBegan(String key, @Nullable String name, long fencingToken) implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("LeaseBegan", "key, name, fencingToken", key, name, fencingToken);
        }
    }

    /**
     * A lease has ended: its release was started, or it was lost.
     *
     * @param key the lease's key; for a permit, the key of the permit's own item
     * @param name the request's name; {@code null} if the request has no name
     * @param fencingToken the lease's token
     * @param heldFor the time for which the lease had been held
     * @param lost the reason of the loss; {@code null} if the lease was released
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
     * A holder has recorded the outcome of its work ({@link Lease#recordRun(LeaseRunOutcome)}) and started the release
     * of the lease. If the run counts as done, the release writes it to the table.
     *
     * @param key the lease's key
     * @param name the request's name, not the run's name; {@code null} if the request has no name
     * @param outcome the outcome of the run
     * @param took the duration of the run, counted from the acquire
     */
    record RunEnded(String key, @Nullable String name, LeaseRunOutcome outcome, Duration took)
            implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("RunEnded", "key, name, outcome, took", key, name, outcome, took);
        }
    }

    /**
     * An acquire got no lease, and the store's reply shows a run that another call has completed, perhaps in another
     * process.
     *
     * @param key the lease's key
     * @param name the request's name, not the run's name; {@code null} if the request has no name
     * @param run the last run, as the table shows it
     */
    record RunShown(String key, @Nullable String name, LeaseRun run) implements LeaseMeasurement {
        @Override
        public String toString() {
            return Text.record("RunShown", "key, name, run", key, name, run);
        }
    }

    /**
     * The store has answered a renewal, or the deadline of the renewal has passed.
     *
     * @param key the lease's key
     * @param name the request's name; {@code null} if the request has no name
     * @param outcome the outcome of the renewal
     * @param took the duration of the renewal
     * @param lag the time from the due time of the renewal until the renewal was sent
     * @param remaining the remaining validity from the previous grant or renewal when the answer arrived; negative if
     *     that validity had ended
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

    /** The outcome of a renewal. */
    enum RenewalOutcome {
        /** The store has applied the renewal. */
        APPLIED,
        /**
         * The item in the table has another version than the renewal expected, or has no version. Either the lease is
         * lost, or an earlier write of this lease was applied, but its reply was lost.
         */
        REFUSED,
        /** The store failed or did not answer in time. The manager retries the renewal. */
        FAILED
    }

    /**
     * A request to the store has ended, with an answer or a failure. A batch of renewals or releases is one request.
     * The outcome of a batch is the best outcome among the writes in the batch.
     *
     * @param operation the kind of request
     * @param outcome the outcome of the request
     * @param took the duration of the request
     */
    record RequestEnded(Operation operation, RequestOutcome outcome, Duration took) implements LeaseMeasurement {}

    /** The kind of a request to the store. */
    enum Operation {
        /** Acquires a lease. */
        ACQUIRE,
        /** Renews a lease. */
        RENEW,
        /** Releases a lease. */
        RELEASE,
        /** Marks an item, so that the holder of the item's lease sees that another process waits. */
        MARK,
        /** Takes a lease from its holder by force. */
        REVOKE,
        /** Allows a completed run to be executed again. */
        REOPEN,
        /** Writes the pauses of the table. */
        PAUSE,
        /** Reads one or several items. */
        READ,
        /** Scans a part of the table. */
        LIST
    }

    /** The outcome of a request. */
    enum RequestOutcome {
        /** The write was applied, or the read was answered. */
        APPLIED,
        /** The condition of the write was not met, usually because another owner holds the lease or has held it. */
        REFUSED,
        /**
         * The request failed and was certainly not applied, for example because of throttling, a transaction conflict
         * or a refused connection.
         */
        NOT_APPLIED,
        /**
         * The request failed and may have been applied, for example after a timeout, a broken connection or a server
         * error.
         */
        UNKNOWN,
        /**
         * The request fails until somebody changes the setup, for example because access is denied or the table does
         * not exist.
         */
        REJECTED;

        /** Returns whether the store failed. A refused write is not a failure. */
        public boolean isFailure() {
            return this != APPLIED && this != REFUSED;
        }
    }

    /**
     * The capacity that an answered request consumed, as the store reported it. DynamoDB charges for a refused write as
     * for an applied write, but does not report the capacity of a refused write. Leasekit counts a refused write as one
     * write unit, and a refused transaction as two write units for each item.
     *
     * @param operation the kind of request
     * @param units the read units of a read, or the write units of a write
     */
    record CapacityConsumed(Operation operation, double units) implements LeaseMeasurement {}

    /**
     * DynamoDB throttled a request, or some of the writes in a batch. A throttled request is also reported as
     * {@link RequestEnded}.
     *
     * @param operation the kind of request
     * @param reason the limit that was exceeded; if the reply names several limits, the first limit
     */
    record RequestThrottled(Operation operation, LeaseThrottling reason) implements LeaseMeasurement {}
}
