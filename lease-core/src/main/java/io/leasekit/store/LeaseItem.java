package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The item of one key. A component is {@code null} if its attribute is absent or unusable. If the version, token, name
 * of the last run, progress or text of the pauses is present but unusable, reading the item fails.
 *
 * @param key the key of the lease
 * @param version the version; {@code null}: the lease is released
 * @param expiry the end of the lease, in epoch seconds
 * @param durationMillis the ttl in force, in milliseconds
 * @param token the fencing token
 * @param owner the name of the owner
 * @param acquiredAtMillis the time of the acquire, in epoch milliseconds
 * @param releasedAtMillis the time of the release, in epoch milliseconds
 * @param waitingSinceMillis the time at which another process marked that it waits, in epoch milliseconds;
 *     {@code null}: no process has
 * @param lastRun the last run
 * @param permits the number of permits that the last acquire of this permit named
 * @param pauses the pauses of the table; only in the item that stores the pauses
 * @param application the name of the owner's application; also {@code null} after an owner without an application has
 *     acquired the lease
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}: {@link #expiry}
 * @param progress the progress of a run that has not ended
 * @param history the last runs, as a text that the engine writes for people
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

    /** Creates an item of an exclusive lease, without a waiter's mark and without a run. */
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

    /** Returns the item without the history, as lists show it. */
    public LeaseItem withoutHistory() {
        return Changes.with(this, waitingSinceMillis, lastRun, pauses, progress, null);
    }

    /** Returns whether the item has records to keep beyond the lease: the name of a run, or progress. */
    public boolean keepsRecords() {
        return progress != null || (lastRun != null && lastRun.name() != null);
    }

    /** Returns whether the run with this name is done, according to the last run in the item. */
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
