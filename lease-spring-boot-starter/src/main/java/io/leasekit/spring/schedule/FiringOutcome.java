package io.leasekit.spring.schedule;

import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeasePause;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The final outcome of a firing, or the state of a firing that has not ended. Texts of an outcome contain no key,
 * because the application may hide keys. Thread-safe.
 *
 * @param by the owner that has the lease or has executed the run, or the user who paused the key; {@code null} if
 *     unknown
 * @param at when the work began on this node, another owner's run ended ({@code ALREADY_RAN}), another owner's lease
 *     began ({@code HELD}), or the pause ends ({@code PAUSED}); {@code null} if unknown
 * @param why the text of the failure, the reason of the pause or of {@code LEFT}, or the outcome of another owner's
 *     run; {@code null} if there is no text
 */
@Internal
public record FiringOutcome(
        Kind kind,
        @Nullable String by,
        @Nullable Instant at,
        @Nullable String why) {

    public enum Kind {
        /** The firing has begun, and the acquire has no result yet. */
        BEGUN,
        RUNNING,
        RAN,
        /** The method has failed on this node, or could not be called because of an error. */
        FAILED,
        /** The method has ended early on this node, because it was asked to stop. */
        STOPPED,
        /** Another owner has already executed the run of this firing. */
        ALREADY_RAN,
        HELD,
        /** The firing waits for the end of another owner's run, or for an answer from the table. */
        WAITING,
        PAUSED,
        /** The firing got no lease, because the table has not answered or has refused the request. */
        TABLE_FAILED,
        /** The firing has stopped waiting for the lease or the run, for example because a later firing has begun. */
        LEFT,
        CLOSING
    }

    static final FiringOutcome BEGUN = new FiringOutcome(Kind.BEGUN, null, null, null);

    public static final FiringOutcome CLOSING = new FiringOutcome(Kind.CLOSING, null, null, null);

    public static FiringOutcome of(Throwable refusal) {
        if (refusal instanceof LeaseAlreadyRanException done) {
            return of(done.shown());
        }
        if (refusal instanceof LeaseUnavailableException held) {
            LeasePause pause = held.pause().orElse(null);
            LeaseInfo holder = held.holder().orElse(null);
            return pause != null
                    ? new FiringOutcome(Kind.PAUSED, pause.by(), pause.until(), pause.reason())
                    : new FiringOutcome(
                            Kind.HELD,
                            holder == null ? null : holder.owner(),
                            holder == null ? null : holder.acquiredAt(),
                            null);
        }
        Kind kind = refusal instanceof LeaseStoreException ? Kind.TABLE_FAILED : Kind.FAILED;
        return new FiringOutcome(kind, null, null, text(refusal));
    }

    private static FiringOutcome of(LeaseInfo shown) {
        LeaseRun run = shown.lastRun();
        if (run == null) {
            return new FiringOutcome(Kind.ALREADY_RAN, shown.owner(), shown.releasedAt(), null);
        }
        Instant begun = run.begunAt();
        Instant end = begun == null || run.duration() == null ? begun : begun.plus(run.duration());
        String why = run.outcome() == null || run.outcome() == LeaseRunOutcome.SUCCEEDED
                ? null
                : run.outcome().name();
        return new FiringOutcome(Kind.ALREADY_RAN, run.owner() == null ? shown.owner() : run.owner(), end, why);
    }

    public FiringOutcome waiting() {
        return new FiringOutcome(Kind.WAITING, by, at, why);
    }

    public FiringOutcome left(String reason) {
        return new FiringOutcome(Kind.LEFT, by, at, reason);
    }

    FiringOutcome ended(Kind ended, @Nullable Throwable failure) {
        return new FiringOutcome(ended, null, at, failure == null ? null : text(failure));
    }

    /**
     * Messages of Leasekit's exceptions contain the key, so this method uses the text of the cause or the class name.
     */
    private static String text(Throwable failure) {
        Throwable shown =
                failure instanceof LeaseException && failure.getCause() != null ? failure.getCause() : failure;
        return shown instanceof LeaseException ? shown.getClass().getSimpleName() : Text.brief(shown);
    }
}
