package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lease as the table shows it, for display and reports only; Leasekit makes no decision from it. Times are
 * DynamoDB's, exact to about a second. Immutable, so thread-safe.
 *
 * @param key the lease's key. The key of a permit ends with {@code #permit=} and its slot
 * @param held whether the table shows the lease as held or kept by a hold; its holder may be dead
 * @param owner the name of the owner, or of the last owner after a release; {@code null} if the table shows none
 * @param fencingToken the lease's fencing token; 0 if the table shows none
 * @param acquiredAt the time of the acquire; {@code null} if the table does not show it
 * @param expiresAt the latest end of the lease without another renewal; {@code null} if the lease is not held or its
 *     end is unknown. This is the stored expiry, or the time at which the lease will have been seen unchanged for its
 *     ttl, whichever comes first. An unusable stored expiry is ignored
 * @param releasedAt the time of the release; {@code null} if the lease was not released or the table does not show the
 *     time. While a short hold delays the release, only the manager that delays it shows this time
 * @param lastRun the last recorded run; {@code null} if the table shows none
 * @param permits the number of {@linkplain LeaseRequest#permits(int) permits} of the key, as named by the last acquire
 *     of this permit; 0 if the lease is not a permit
 * @param application the name of the owner's {@linkplain LeaseManagerBuilder#application application}; {@code null} if
 *     the table does not show it, or if the lease was not read because this process holds it
 * @param history the past runs, the latest first ({@link LeaseManagerBuilder#runHistory}); unmodifiable; empty if the
 *     table shows none, and in a list of leases, which does not read it
 * @param progress the progress of a run that has not ended ({@link LeaseRequest#resumable()}); {@code null} if the
 *     table shows none, or if it was not read
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

    /** Returns whether a hold keeps other owners from the key after the release. */
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
