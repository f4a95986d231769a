package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The item of one key. A component is {@code null} if its attribute is absent or cannot be used. Without a usable version, token,
 * name of the last run, progress or text of the pauses, the item is no lease, and reading it fails.
 *
 * @param key the lease's key
 * @param version the version; {@code null}: released
 * @param expiry the end, in epoch seconds
 * @param durationMillis the ttl in force, in milliseconds
 * @param token the fencing token
 * @param owner the owner's name
 * @param acquiredAtMillis the time of the acquire, in epoch milliseconds
 * @param releasedAtMillis the time of the release, in epoch milliseconds
 * @param waitingSinceMillis the time of the mark that another process waits, in epoch milliseconds; {@code null}: none
 * @param lastRun the last run
 * @param permits the number of permits of which the lease is one, as its last acquire named it
 * @param pauses the pauses of the table; only in the item that keeps them
 * @param application the name of the owner's application; {@code null} also if an owner without an application has
 *     acquired the lease since
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}: {@link #expiry}
 * @param progress the progress of a run that has not ended
 * @param history the engine's text of the last runs, for people
 * @param run the name of the run that the last acquire was for; {@code null}: none
 */
@Internal
public record LeaseItem(
        String key,
        @Nullable String version,
        @Nullable Long expiry,
        @Nullable Long durationMillis,
        @Nullable Long token,
        @Nullable String owner,
        @Nullable Long acquiredAtMillis,
        @Nullable Long releasedAtMillis,
        @Nullable Long waitingSinceMillis,
        @Nullable ItemRun lastRun,
        @Nullable Long permits,
        @Nullable String pauses,
        @Nullable String application,
        @Nullable Long keptUntil,
        @Nullable ItemProgress progress,
        @Nullable String history,
        @Nullable String run) {

    /** Creates an item of a lease that is no permit, without the mark of a waiter and without a run. */
    public LeaseItem(
            String key,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long token,
            @Nullable String owner,
            @Nullable Long acquiredAtMillis,
            @Nullable Long releasedAtMillis) {
        this(
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                releasedAtMillis,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** Returns the time from which item TTL may remove the item, in epoch seconds; {@code null}: never. */
    public @Nullable Long removableFrom() {
        return keptUntil == null ? expiry : keptUntil;
    }

    /** Returns the item as a list shows it. */
    public LeaseItem withoutHistory() {
        return Changes.with(this, waitingSinceMillis, lastRun, pauses, progress, null);
    }

    /** Returns whether the item has something to keep beyond its lease: the name of a run, or progress. */
    public boolean keepsRecords() {
        return progress != null || (lastRun != null && lastRun.name() != null);
    }

    /** Returns whether a run of that name is done, according to the recorded one. */
    public boolean isDone(String run) {
        return lastRun != null && lastRun.covers(run);
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseItem",
                "key, version, expiry, durationMillis, token, owner, acquiredAtMillis, releasedAtMillis, waitingSinceMillis, lastRun, permits, pauses, application, keptUntil, progress, history, run",
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                releasedAtMillis,
                waitingSinceMillis,
                lastRun,
                permits,
                pauses,
                application,
                keptUntil,
                progress,
                history,
                run);
    }
}
