package io.leasekit.store;

import io.leasekit.internal.Text;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to take a lease (protocol step 5.1), or to have it handed over by a tenure of the same process (6). It is applied when the item's token is absent or below {@link #token},
 * and one of the following holds: the item has no version; its expiry is below {@link #freeBelow}; its version is
 * {@link #deadVersion}; its version is in {@link #own} or in {@link #predecessor}. Applied, it sets all attributes of a lease and
 * removes those of former tenures; the mark of a waiter stays when the lease is handed over, and the last run always. Where
 * {@link #once} names a run, the last run's name must be absent or below it besides.
 *
 * @param key the lease's key
 * @param version the version that this attempt writes
 * @param expiry the end to write, in epoch seconds
 * @param durationMillis the ttl, in milliseconds
 * @param token the fencing token to write
 * @param owner the owner's name, for people
 * @param acquiredAtMillis when, in epoch milliseconds, for people
 * @param freeBelow the expiry, in epoch seconds, below which the item's lease has ended; {@code null}: not known
 * @param deadVersion a version whose holder is known dead; {@code null}: none
 * @param own the versions of this tenure's earlier attempts; {@code null}: there are none
 * @param predecessor the versions of the tenure that hands its lease over; {@code null}: none does
 * @param once the name of the run that the lease is for; {@code null}: whether any is done does not matter
 */
public record AcquireCommand(
        String key,
        String version,
        long expiry,
        long durationMillis,
        long token,
        String owner,
        long acquiredAtMillis,
        @Nullable Long freeBelow,
        @Nullable String deadVersion,
        @Nullable VersionRange own,
        @Nullable VersionRange predecessor,
        @Nullable String once)
        implements LeaseCommand {

    /** An attempt for no run in particular. */
    public AcquireCommand(
            String key,
            String version,
            long expiry,
            long durationMillis,
            long token,
            String owner,
            long acquiredAtMillis,
            @Nullable Long freeBelow,
            @Nullable String deadVersion,
            @Nullable VersionRange own,
            @Nullable VersionRange predecessor) {
        this(
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                freeBelow,
                deadVersion,
                own,
                predecessor,
                null);
    }

    @Override
    public String toString() {
        return Text.record(
                "AcquireCommand",
                "key, version, expiry, durationMillis, token, owner, acquiredAtMillis, freeBelow, deadVersion, own, predecessor, once",
                key,
                version,
                expiry,
                durationMillis,
                token,
                owner,
                acquiredAtMillis,
                freeBelow,
                deadVersion,
                own,
                predecessor,
                once);
    }
}
