package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An event that a manager reports to its listeners. For a lease of several keys, the manager reports one event for each
 * key. But the manager reports {@link Unavailable}, {@link AlreadyRan}, {@link ForceReleased} and {@link RunAgain} only
 * once, with one of the keys. Immutable, so thread-safe.
 */
public sealed interface LeaseEvent {

    /** Returns the lease's key. */
    String key();

    /**
     * A lease was acquired.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     */
    record Acquired(String key, String owner, long fencingToken) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("Acquired", "key, owner, fencingToken", key, owner, fencingToken);
        }
    }

    /**
     * Only a third of a lease's ttl is left, because recent renewals have not succeeded.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param remaining the time that the lease stays valid without a renewal
     */
    record AtRisk(String key, String owner, long fencingToken, Duration remaining) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("AtRisk", "key, owner, fencingToken, remaining", key, owner, fencingToken, remaining);
        }
    }

    /**
     * A lease was lost.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param reason the reason of the loss
     * @param heldFor the time for which the lease had been held
     */
    record Lost(String key, String owner, long fencingToken, LeaseLossReason reason, Duration heldFor)
            implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record(
                    "Lost", "key, owner, fencingToken, reason, heldFor", key, owner, fencingToken, reason, heldFor);
        }
    }

    /**
     * The holder of a lease has started the release of the lease.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param heldFor the time for which the lease had been held
     */
    record Released(String key, String owner, long fencingToken, Duration heldFor) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("Released", "key, owner, fencingToken, heldFor", key, owner, fencingToken, heldFor);
        }
    }

    /**
     * This manager took a lease from its holder by force. The manager of the previous holder reports {@link Lost} when
     * it notices the loss.
     *
     * @param key the lease's key
     * @param by the owner name of the manager that released the lease by force
     * @param fencingToken the token of the released lease
     * @param immediately whether the key became free at once, instead of at the end of the lease. {@code true} means
     *     that the previous holder and the next holder may have run at the same time
     */
    record ForceReleased(String key, String by, long fencingToken, boolean immediately) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record(
                    "ForceReleased", "key, by, fencingToken, immediately", key, by, fencingToken, immediately);
        }
    }

    /**
     * This manager has allowed a completed run to be executed again.
     *
     * @param key the lease's key; for a run in {@linkplain OnceOrder#ANY any order}, the key of the run's own item
     * @param by the name of the person who allowed the run
     * @param fencingToken the token of the lease under which the run was done
     * @param run the name of the run
     */
    record RunAgain(String key, String by, long fencingToken, String run) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("RunAgain", "key, by, fencingToken, run", key, by, fencingToken, run);
        }
    }

    /**
     * A holder has recorded the outcome of its work ({@link Lease#recordRun(LeaseRunOutcome)}) and started the release
     * of the lease. If the run counts as done, the release writes it to the table. If the release fails, the manager
     * logs a warning, and the run may be executed again.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param run the name of the run; {@code null} if the run has no name
     * @param outcome the outcome of the run
     * @param duration the duration of the run, counted from the acquire
     */
    record Ran(
            String key,
            String owner,
            long fencingToken,
            @Nullable String run,
            LeaseRunOutcome outcome,
            Duration duration)
            implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record(
                    "Ran",
                    "key, owner, fencingToken, run, outcome, duration",
                    key,
                    owner,
                    fencingToken,
                    run,
                    outcome,
                    duration);
        }
    }

    /**
     * A lease was not granted, because the requested run or a later run is already done.
     *
     * @param key the lease's key
     * @param run the name of the requested run
     * @param shown the state of the lease in the table, which includes the last completed run
     */
    record AlreadyRan(String key, String run, LeaseInfo shown) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("AlreadyRan", "key, run, shown", key, run, shown);
        }
    }

    /**
     * A lease was not granted: another owner holds it, the key is paused, or this process already holds all the permits
     * that it may have.
     *
     * @param key the lease's key
     * @param holder the holder that the table last showed; {@code null} if the table showed no holder
     */
    record Unavailable(String key, @Nullable LeaseInfo holder) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("Unavailable", "key, holder", key, holder);
        }
    }
}
