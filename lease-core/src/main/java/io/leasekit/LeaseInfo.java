package io.leasekit;

import io.leasekit.text.Text;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lease as the table shows it, for display and reports only; Leasekit makes no decision from it. Times are
 * DynamoDB's, exact to about a second. Immutable, so thread-safe.
 *
 * @param key the lease's key
 * @param held whether the table shows the lease as held or kept by a hold; its holder may be dead
 * @param owner the owner's name, or the last owner's name after a release; {@code null} if the table shows none
 * @param fencingToken the lease's fencing token; 0 if the table shows none
 * @param acquiredAt the time of the acquire; {@code null} if the table does not show it
 * @param expiresAt the latest end of the lease without a renewal. It is the stored expiry, if that is usable, or the
 *     time at which the lease will have been seen unchanged for its ttl, if that is sooner; {@code null} if the lease
 *     is not held or its end is unknown
 * @param releasedAt the time of the release; {@code null} if the lease was not released or the table does not show it.
 *     While a release is delayed by a short hold, only the manager that delays it shows this time
 * @param lastRun the last recorded run; {@code null} if the table shows none
 * @param permits the number of {@linkplain LeaseRequest#permits(int) permits} of which this lease is one, as its last
 *     acquire named it; 0 if it is no permit. The key of a permit ends with {@code #permit=} and its slot
 * @param application the name of the owner's {@linkplain LeaseManagerBuilder#application application}; {@code null} if the
 *     table does not show it, or if it was not read: a lease of this process has the application of its manager
 * @param history the last runs, the latest first ({@link LeaseManagerBuilder#runHistory}); empty if the table shows none, or
 *     it was not read, as in a list; unmodifiable
 * @param progress how far the work of a run has come that has not ended ({@link LeaseRequest#resumable()}); {@code null} if the
 *     table shows none, or it was not read
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

    /** Creates the description of a lease that is no permit, without a recorded run. */
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

    /** Returns whether a hold keeps others from the key after the release. */
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
