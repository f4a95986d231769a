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
 * Switches batches off for a time, the backoff, while the table does not accept them (protocol 5.10). The first backoff
 * lasts one minute. Each further backoff lasts four times as long as the one before, up to an hour. One answered batch
 * ends the backoff. Thread-safe.
 *
 * <p>A backoff begins when a reply rejects batches. A backoff also begins when batches repeatedly get error replies and
 * single writes between them succeed, because a server that does not support batches may send any error. A batch that
 * times out begins no backoff, because batches help most while the table is slow. If single writes are rejected, too,
 * the cause is the permissions or the table, not the batches. While single writes are rejected, nothing is logged.
 * Batches are tried again as soon as a single write succeeds.
 */
@Internal
public final class BatchBackoff {

    private static final Logger log = LoggerFactory.getLogger(BatchBackoff.class);
    private static final long FIRST_DELAY = 60 * SECOND;
    private static final long LAST_DELAY = 3_600 * SECOND;

    /**
     * The number of consecutive failed batches after which writes are sent individually. The replies to the individual
     * writes show whether the table has an outage or does not support batches.
     */
    private static final int SUSPICIOUS = 2;

    /** If this many single writes succeed after failed batches, only batches fail, so a backoff begins. */
    private static final int PROOFS = 3;

    private final EngineTime time;
    private final StoreInfo store;

    private final BriefLock lock = new BriefLock(); // guards the rest
    private boolean off;
    private @Nullable Throwable unproved; // rejection of a batch, kept until a single write succeeds
    private boolean allRejected; // whether single writes were rejected, too
    private long offUntil;
    private long delay = FIRST_DELAY;
    private int failed; // consecutive failed batches since the last single write
    private int proofs;
    private Throwable failure = new IllegalStateException("No batch has failed");

    public BatchBackoff(EngineTime time, StoreInfo store) {
        this.time = time;
        this.store = store;
    }

    /** Returns how many writes one request may contain at present. */
    int mostTogether() {
        return lock.get(
                () -> !store.hasBatches() || isOff() || failed >= SUSPICIOUS ? 1 : StoreRequest.Batch.MAX_COMMANDS);
    }

    private boolean isOff() {
        return off && time.nanos() - offUntil < 0;
    }

    /**
     * Evaluates the replies to the writes of one batch. A reply that is not a failure ends the backoff. A reply that
     * rejects batches begins a backoff. Any other failure counts only if it is the first reply of the batch.
     * Thread-safe.
     */
    final class Verdict {
        private boolean judged; // guarded by lock

        /** Evaluates the reply to one of the writes. */
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

    /**
     * Returns whether the failure is an error that a server without support for batches could send. A timeout does not
     * count, because the server has sent no error.
     */
    private static boolean isOfServer(StoreReply.Failed answer) {
        boolean mayBeOfBatches = answer.kind() == FailureKind.UNKNOWN || answer.kind() == FailureKind.REJECTED;
        return mayBeOfBatches && (answer.date() != null || answer.cause() instanceof LeaseStoreException);
    }

    /** Evaluates the reply to a write that was not part of a batch. */
    void judgeSingle(StoreReply reply) {
        Runnable report = lock.get(() -> {
            Runnable made = () -> {};
            if (reply instanceof StoreReply.Failed answer) {
                proofs = 0; // an outage
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

    /** Handles the first success of a single write after a batch was rejected. */
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
