package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that happened to a lease of this process. */
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
     * No renewal has got through for so long that a third of the ttl is left (or what the manager was told).
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param remaining how long the lease is still valid without a renewal
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
     * @param reason why
     * @param heldFor how long it had been held
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
     * The release of a lease was begun by its holder.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param heldFor how long it had been held
     */
    record Released(String key, String owner, long fencingToken, Duration heldFor) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("Released", "key, owner, fencingToken, heldFor", key, owner, fencingToken, heldFor);
        }
    }

    /**
     * This manager took a lease from its holder. The holder's own manager tells {@link Lost} when it learns of it.
     *
     * @param key the lease's key
     * @param by the owner's name of the manager that did it
     * @param fencingToken the lease's token
     * @param immediately whether the key was free at once, so that two may have run
     */
    record ForceReleased(String key, String by, long fencingToken, boolean immediately) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record(
                    "ForceReleased", "key, by, fencingToken, immediately", key, by, fencingToken, immediately);
        }
    }

    /**
     * Work under a lease ended, as its holder told by {@link Lease#recordRun(LeaseRunOutcome)}, and the release that is to record it
     * was begun. One that does not get through leaves a run open, and is warned of.
     *
     * @param key the lease's key
     * @param owner the owner's name
     * @param fencingToken the lease's token
     * @param run the name of the run; {@code null}: it has none
     * @param outcome how it ended
     * @param duration how long it took, from the acquire on
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
     * A lease was not granted, because the run that it was asked for, or a later one, is done.
     *
     * @param key the lease's key
     * @param run the name of the run that was asked for
     * @param shown what the table shows, with the last run
     */
    record AlreadyRan(String key, String run, LeaseInfo shown) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("AlreadyRan", "key, run, shown", key, run, shown);
        }
    }

    /**
     * A lease was not to be had, because another holds it.
     *
     * @param key the lease's key
     * @param holder what the table last showed of the holder; {@code null}: nothing
     */
    record Unavailable(String key, @Nullable LeaseInfo holder) implements LeaseEvent {
        @Override
        public String toString() {
            return Text.record("Unavailable", "key, holder", key, holder);
        }
    }
}
