package io.leasekit.requests;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Switches batches off for a while (a backoff) if the table does not accept batches (protocol 5.10). Thread-safe.
 *
 * <p>A server without support for batches may answer a batch with any error, so repeated errors of batches begin a
 * backoff. A batch timeout begins no backoff, because batches are most useful while the table is slow. No warning is
 * logged before a single write has succeeded, because the table may reject all writes.
 */
@Internal
public final class BatchBackoff {

    private static final Logger log = LoggerFactory.getLogger(BatchBackoff.class);
    private static final long FIRST_DELAY = 60 * SECOND;
    private static final long LAST_DELAY = 3_600 * SECOND;

    /**
     * After this many consecutive failed batches, writes are sent individually to find out whether only batches fail.
     */
    private static final int SUSPICIOUS = 2;

    /** A backoff begins after failed batches and this many successful single writes. */
    private static final int PROOFS = 3;

    private final EngineTime time;
    private final StoreInfo store;

    private final BriefLock lock = new BriefLock(); // guards the fields below
    private boolean off;
    private @Nullable Throwable unproved; // the error of a rejected batch while no later write has succeeded
    private boolean allRejected; // whether the table also rejected single writes
    private long offUntil;
    private long delay = FIRST_DELAY;
    private int failed; // consecutive failed batches since the last single write
    private int proofs;
    private Throwable failure = new IllegalStateException("No batch has failed");

    public BatchBackoff(EngineTime time, StoreInfo store) {
        this.time = time;
        this.store = store;
    }

    int mostTogether() {
        return lock.get(
                () -> !store.hasBatches() || isOff() || failed >= SUSPICIOUS ? 1 : StoreRequest.Batch.MAX_COMMANDS);
    }

    private boolean isOff() {
        return off && time.nanos() - offUntil < 0;
    }

    /**
     * Evaluates the replies to the writes of one batch. A batch with several failed writes counts as one failure.
     * Thread-safe.
     */
    final class Verdict {
        private boolean judged; // whether a reply of this batch was evaluated; guarded by lock

        void judge(StoreReply reply) {
            Runnable report = lock.get(() -> {
                boolean first = !judged;
                judged = true;
                return judgeOfBatch(reply, first);
            });
            Quietly.run(report); // a failing logger must not affect a reply
        }
    }

    private Runnable judgeOfBatch(StoreReply reply, boolean first) {
        if (!(reply instanceof StoreReply.Failed answer)) {
            return onAnswered();
        }
        if (answer.kind() == FailureKind.BATCH_REJECTED) {
            return isOff() ? () -> {} : rejected(answer.cause());
        }
        if (first && isOfServer(answer)) {
            failed++;
            failure = answer.cause();
        }
        return () -> {};
    }

    /** Returns whether a server without support for batches may have sent this failure. */
    private static boolean isOfServer(StoreReply.Failed answer) {
        boolean mayBeOfBatches = answer.kind() == FailureKind.UNKNOWN || answer.kind() == FailureKind.REJECTED;
        return mayBeOfBatches && (answer.date() != null || answer.cause() instanceof LeaseStoreException);
    }

    void judgeSingle(StoreReply reply) {
        Runnable report = lock.get(() -> {
            Runnable made = () -> {};
            if (reply instanceof StoreReply.Failed answer) {
                proofs = 0;
                allRejected |= unproved != null && answer.kind() == FailureKind.REJECTED;
            } else if (unproved != null) {
                made = proved(unproved);
            } else if (failed > 0 && ++proofs >= PROOFS && !isOff()) {
                made = delay(failure);
            }
            failed = 0;
            return made;
        });
        Quietly.run(report);
    }

    private Runnable rejected(Throwable cause) {
        boolean first = !off || unproved != null;
        Runnable report = delay(cause);
        unproved = first ? cause : null;
        return first ? () -> {} : report;
    }

    private Runnable proved(Throwable cause) {
        unproved = null;
        if (allRejected) {
            allRejected = false;
            off = false;
            delay = FIRST_DELAY;
            return () -> {};
        }
        return warning(cause);
    }

    private Runnable onAnswered() {
        boolean again = off && unproved == null;
        unproved = null;
        allRejected = false;
        failed = 0;
        proofs = 0;
        off = false;
        delay = FIRST_DELAY;
        return again
                ? () -> log.info("Renewals and releases in table {} are sent in batches again", store.name())
                : () -> {};
    }

    private Runnable delay(Throwable cause) {
        boolean first = !off;
        offUntil = time.nanos() + delay;
        delay = Math.min(LAST_DELAY, 4 * delay);
        off = true;
        failed = 0;
        proofs = 0;
        return first
                ? warning(cause)
                : () -> log.debug("Batches in table {} still fail: \"{}\"", store.name(), Text.plain(Text.why(cause)));
    }

    private Runnable warning(Throwable cause) {
        return () -> log.warn(
                "Renewals and releases in table {} are sent one by one, up to {} times as many requests, because"
                        + " batches fail: \"{}\"; they need the IAM action 'dynamodb:PartiQLUpdate' and a server"
                        + " that has BatchExecuteStatement; they are tried again from time to time",
                store.name(),
                StoreRequest.Batch.MAX_COMMANDS,
                Text.plain(Text.why(cause)));
    }
}
