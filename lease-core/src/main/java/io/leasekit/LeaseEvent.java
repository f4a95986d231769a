package io.leasekit;

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
            return "Acquired[key=" + Text.quote(key) + ", owner=" + Text.quote(owner) + ", fencingToken=" + fencingToken
                    + "]";
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
            return "AtRisk[key=" + Text.quote(key) + ", owner=" + Text.quote(owner) + ", fencingToken=" + fencingToken
                    + ", remaining=" + remaining + "]";
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
            return "Lost[key=" + Text.quote(key) + ", owner=" + Text.quote(owner) + ", fencingToken=" + fencingToken
                    + ", reason=" + reason + ", heldFor=" + heldFor + "]";
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
            return "Released[key=" + Text.quote(key) + ", owner=" + Text.quote(owner) + ", fencingToken=" + fencingToken
                    + ", heldFor=" + heldFor + "]";
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
            return "ForceReleased[key=" + Text.quote(key) + ", by=" + Text.quote(by) + ", fencingToken=" + fencingToken
                    + ", immediately=" + immediately + "]";
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
            return "Unavailable[key=" + Text.quote(key) + ", holder=" + holder + "]";
        }
    }
}
