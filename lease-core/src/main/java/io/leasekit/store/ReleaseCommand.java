package io.leasekit.store;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to release a lease (step 5.3 in {@code docs/protocol.md}). It is applied if the item's version is in {@link #own}
 * or in {@link #predecessor}, and, with {@link #unlessRun}, the item does not record the name of a last run. It removes the mark
 * of a waiter. The last run stays, or is replaced by {@link #run}.
 *
 * @param key the lease's key
 * @param own all versions that this tenure may have written
 * @param predecessor the versions of the tenure that was to hand its lease over to this one; {@code null}: none
 * @param form the state of the item after the release
 * @param run the run to record, which keeps the recorded name if it has none; {@code null}: none
 * @param unlessRun whether an item with the name of a last run refuses the release, because this form would forget the run too
 *     early
 */
public record ReleaseCommand(
        String key,
        VersionRange own,
        @Nullable VersionRange predecessor,
        Form form,
        @Nullable ItemRun run,
        boolean unlessRun)
        implements LeaseCommand {

    /**
     * Checks that a recorded run is not deleted.
     *
     * @throws IllegalArgumentException if there is a run and the item is deleted
     */
    public ReleaseCommand {
        if (run != null && form instanceof Delete) {
            throw new IllegalArgumentException("Run " + run + " cannot be recorded in an item that is deleted");
        }
    }

    /** Creates a release that is applied whether or not the item records a run. */
    public ReleaseCommand(
            String key, VersionRange own, @Nullable VersionRange predecessor, Form form, @Nullable ItemRun run) {
        this(key, own, predecessor, form, run, false);
    }

    @Override
    public String toString() {
        return Text.record(
                "ReleaseCommand",
                "key, own, predecessor, form, run, unlessRun",
                key,
                own,
                predecessor,
                form,
                run,
                unlessRun);
    }

    /** The state of the item after a release. */
    public sealed interface Form permits Retain, Hold, Delete {}

    /**
     * A free item that keeps its token. The version and the duration are removed.
     *
     * @param expiry the time from which item TTL may remove the item, in epoch seconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     */
    public record Retain(long expiry, long releasedAtMillis) implements Form {}

    /**
     * A hold: a lease without a holder. The key cannot be acquired until its end.
     *
     * @param version a version of a fresh tenure, which no process has
     * @param expiry the end of the hold, in epoch seconds
     * @param durationMillis the time after which an observer that saw no change takes over, in milliseconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     */
    public record Hold(String version, long expiry, long durationMillis, long releasedAtMillis) implements Form {}

    /** No item: it is deleted with its token and its last run. */
    public record Delete() implements Form {}
}
