package io.leasekit.store;

import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to give a lease back (protocol step 5.3). It is applied when the item's version is in {@link #own} or in
 * {@link #predecessor}. The mark of a waiter goes with it; the last run stays, or becomes {@link #run}.
 *
 * @param key the lease's key
 * @param own all versions that this tenure may have written
 * @param predecessor the versions of the tenure that was to hand its lease over to this one; {@code null}: there is none
 * @param form what is left behind
 * @param run the run to record, whose name replaces the last one's unless it is {@code null}; {@code null}: none
 */
public record ReleaseCommand(
        String key,
        VersionRange own,
        @Nullable VersionRange predecessor,
        Form form,
        @Nullable ItemRun run) implements LeaseCommand {

    /**
     * Checks that what is recorded is not deleted.
     *
     * @throws IllegalArgumentException if a run is to be recorded in an item that is deleted
     */
    public ReleaseCommand {
        if (run != null && form instanceof Delete) {
            throw new IllegalArgumentException("Run " + run + " is to be recorded in an item that is deleted");
        }
    }

    /** A release that records no run. */
    public ReleaseCommand(String key, VersionRange own, @Nullable VersionRange predecessor, Form form) {
        this(key, own, predecessor, form, null);
    }

    @Override
    public String toString() {
        return Text.record("ReleaseCommand", "key, own, predecessor, form, run", key, own, predecessor, form, run);
    }

    /** What a release leaves behind. */
    public sealed interface Form permits Retain, Hold, Delete {}

    /**
     * A free item that keeps its token: the version is removed.
     *
     * @param expiry when item TTL may remove the item, in epoch seconds
     * @param releasedAtMillis when, in epoch milliseconds, for people
     */
    public record Retain(long expiry, long releasedAtMillis) implements Form {}

    /**
     * A lease of nobody, which keeps the key from being acquired until it ends.
     *
     * @param version a version of a tenure that nobody else has
     * @param expiry when it ends, in epoch seconds
     * @param durationMillis how long an observer has to see it unchanged, in milliseconds
     * @param releasedAtMillis when, in epoch milliseconds, for people
     */
    public record Hold(String version, long expiry, long durationMillis, long releasedAtMillis) implements Form {}

    /** Nothing: the item is deleted, its token and its last run with it. */
    public record Delete() implements Form {}
}
