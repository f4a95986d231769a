package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to release a lease (step 5.3 in {@code docs/protocol.md}). The command is applied if the item's version
 * is in {@link #own} or in {@link #predecessor}. With {@link #unlessRecords}, the item must also have neither the name
 * of a last run nor progress. The release removes a waiter's mark. The last run stays unless {@link #run} is given, and
 * {@link #progress} says what happens to the progress.
 *
 * @param key the lease's key
 * @param own all versions that this tenure may have written
 * @param predecessor the versions of the earlier tenure that hands its lease over to this tenure; {@code null}: none
 * @param form the state of the item after the release
 * @param run the run to record; {@code null}: none. A run without a name leaves the recorded name
 * @param unlessRecords whether an item with the name of a last run or with progress refuses the release, because the
 *     release would remove these records too early
 * @param progress the effect on the progress
 * @param history the text of the run history to write; {@code null}: the item keeps its text
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
     * Checks that a release that deletes the item records nothing.
     *
     * @throws IllegalArgumentException if the release deletes the item and has a run, a history or progress to write
     */
    public ReleaseCommand {
        if (form instanceof Delete && (run != null || history != null || progress instanceof Write)) {
            throw new IllegalArgumentException(
                    "Run " + run + " and progress " + progress + " cannot be recorded in an item that is deleted");
        }
    }

    /** Creates a release that is applied whether or not the item has records, and that keeps the progress. */
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
     * A free item that keeps its token. The release removes the version and the duration.
     *
     * @param expiry the time from which item TTL may remove the item, in epoch seconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     */
    public record Retain(long expiry, long releasedAtMillis) implements Form {}

    /**
     * A hold, which is a lease without a holder. Nobody can acquire the key until the hold ends.
     *
     * @param version a version of a new tenure that belongs to no process
     * @param expiry the end of the hold, in epoch seconds
     * @param durationMillis the time after which an observer that has seen no change may take the key over, in
     *     milliseconds
     * @param releasedAtMillis the time of the release, in epoch milliseconds, for people
     * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}:
     *     {@link #expiry}. See {@link RenewCommand#keptUntil}
     * @param token the largest token that the tenure has sent; written only if {@link #keptUntil} is given
     */
    public record Hold(
            String version,
            long expiry,
            long durationMillis,
            long releasedAtMillis,
            @Nullable Long keptUntil,
            long token)
            implements Form {}

    /** No item: the release deletes the item with its token and its last run. */
    public record Delete() implements Form {}

    /** The effect of a release on the progress. */
    public sealed interface Progress permits Keep, Clear, Write {}

    /** The progress stays, because its run has not ended or is not the run of this lease. */
    public record Keep() implements Progress {}

    /** The progress is removed, because its run has ended. */
    public record Clear() implements Progress {}

    /** The last value that the work saved replaces the progress, because it is not known to be in the table yet. */
    public record Write(ItemProgress progress) implements Progress {}
}
