package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lease as the table shows it, for display and reports only: Leasekit bases no decision on this information. All
 * times are by DynamoDB's clock, exact to about a second. Immutable, so thread-safe.
 *
 * @param key the lease's key. The key of a permit ends with {@code #permit=} and the number of the permit's slot
 * @param held whether the table shows the lease as held, or as kept from other owners by {@code holdAtLeast} or
 *     {@code cooldown}. The holder of a held lease may be dead
 * @param owner the name of the owner; after a release, the name of the last owner; {@code null} if the table shows no
 *     name
 * @param fencingToken the lease's fencing token; 0 if the table shows no token
 * @param acquiredAt the time of the acquire; {@code null} if the table does not show the time
 * @param expiresAt the latest time at which the lease ends if it is not renewed again; {@code null} if the lease is not
 *     held or its end is unknown. The lease ends at the stored expiry, or when this process has seen the lease
 *     unchanged for the lease's ttl, whichever comes first. A stored expiry that is not a valid time is ignored
 * @param releasedAt the time of the release; {@code null} if the lease was not released or the table does not show the
 *     time. The manager may delay a release by a few seconds, until {@code holdAtLeast} or {@code cooldown} ends.
 *     During the delay, the table shows the lease as held. Only the results of the delaying manager then contain
 *     {@code releasedAt}, the start of the delay
 * @param lastRun the last recorded run; {@code null} if the table shows no run
 * @param permits the total number of {@linkplain LeaseRequest#permits(int) permits} of the key, as requested by the
 *     last caller that acquired this permit; 0 if the lease is not a permit
 * @param application the name of the owner's {@linkplain LeaseManagerBuilder#application application}; {@code null} if
 *     the table does not show the name, or if this process holds the lease
 * @param history the past runs, the latest first ({@link LeaseManagerBuilder#runHistory}); unmodifiable. The history is
 *     empty if the table shows no past runs. The history is always empty in the results of
 *     {@link LeaseInspector#list(LeaseQuery)}
 * @param progress the progress of a run that has not ended ({@link LeaseRequest#resumable()}); {@code null} if the
 *     table shows no progress, or if the progress was not read
 */
public record LeaseInfo(
        String key,
        boolean held,
        @Nullable String owner,
        long fencingToken,
        @Nullable Instant acquiredAt,
        @Nullable Instant expiresAt,
        @Nullable Instant releasedAt,
        @Nullable LeaseRun lastRun,
        int permits,
        @Nullable String application,
        List<LeasePastRun> history,
        @Nullable LeaseProgress progress) {

    /** Copies the history. */
    public LeaseInfo {
        history = List.copyOf(history);
    }

    /** Creates the description of a lease that is not a permit and has no recorded run. */
    public LeaseInfo(
            String key,
            boolean held,
            @Nullable String owner,
            long fencingToken,
            @Nullable Instant acquiredAt,
            @Nullable Instant expiresAt,
            @Nullable Instant releasedAt) {
        this(key, held, owner, fencingToken, acquiredAt, expiresAt, releasedAt, null, 0, null, List.of(), null);
    }

    /**
     * Returns whether the lease was released, but its {@code holdAtLeast} or {@code cooldown} still keeps other owners
     * from the key.
     */
    public boolean isKept() {
        return held && releasedAt != null;
    }

    @Override
    public String toString() {
        return Text.record(
                "LeaseInfo",
                "key, held, owner, fencingToken, acquiredAt, expiresAt, releasedAt, lastRun, permits, application, history, progress",
                key,
                held,
                owner,
                fencingToken,
                acquiredAt,
                expiresAt,
                releasedAt,
                lastRun,
                permits,
                application,
                history,
                progress);
    }
}
