package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to release a lease (step 5.3 in {@code docs/protocol.md}). It is applied if the item's version is in {@link #own}
 * or in {@link #predecessor}, and, with {@link #unlessRecords}, the item has neither the name of a last run nor progress. It
 * removes the mark of a waiter. The last run stays, or is replaced by {@link #run}. The progress stays, is replaced or is removed.
 *
 * @param key the lease's key
 * @param own all versions that this tenure may have written
 * @param predecessor the versions of the tenure that was to hand its lease over to this one; {@code null}: none
 * @param form the state of the item after the release
 * @param run the run to record; if it has no name, the recorded name stays; {@code null}: none
 * @param unlessRecords whether an item with the name of a last run or with progress refuses the release, because this
 *     form would remove them too early
 * @param progress the effect on the progress
 * @param history the text of the last runs to write; {@code null}: the text in the item stays
 */
@Internal
public record ReleaseCommand(
        String key,
        VersionRange own,
        @Nullable VersionRange predecessor,
        Form form,
        @Nullable ItemRun run,
        boolean unlessRecords,
        Progress progress,
        @Nullable String history)
        implements LeaseCommand {

    /**
     * Checks that nothing is recorded in an item that is deleted.
     *
     * @throws IllegalArgumentException if there is a run, a history, or progress to write, and the item is deleted
     */
    public ReleaseCommand {
        if (form instanceof Delete && (run != null || history != null || progress instanceof Write)) {
            throw new IllegalArgumentException(
                    "Run " + run + " and progress " + progress + " cannot be recorded in an item that is deleted");
        }
    }

    /** Creates a release that is applied whether or not the item has records, and keeps its progress. */
    public ReleaseCommand(
            String key, VersionRange own, @Nullable VersionRange predecessor, Form form, @Nullable ItemRun run) {
        this(key, own, predecessor, form, run, false, new Keep(), null);
    }

    @Override
    public String toString() {
        return Text.record(
                "ReleaseCommand",
                "key, own, predecessor, form, run, unlessRecords, progress, history",
                key,
                own,
                predecessor,
                form,
                run,
                unlessRecords,
                progress,
                history);
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
     * @param version a version of a new tenure that belongs to no process
     * @param expiry the end of the hold, in epoch seconds
     * @param durationMillis the time after which an observer that saw no change takes over, in milliseconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}: {@link #expiry}. See
     *     {@link RenewCommand#keptUntil}
     * @param token the largest token that the tenure has sent; with {@link #keptUntil}, the item gets it
     */
    public record Hold(
            String version,
            long expiry,
            long durationMillis,
            long releasedAtMillis,
            @Nullable Long keptUntil,
            long token)
            implements Form {}

    /** No item: it is deleted with its token and its last run. */
    public record Delete() implements Form {}

    /** The fate of the progress. */
    public sealed interface Progress permits Keep, Clear, Write {}

    /** The progress of the item stays: the run has not ended, or is another run than that of the lease. */
    public record Keep() implements Progress {}

    /** The progress is removed: its run has ended. */
    public record Clear() implements Progress {}

    /** The last value of the work that is not known to be in the table replaces the progress. */
    public record Write(ItemProgress progress) implements Progress {}
}
