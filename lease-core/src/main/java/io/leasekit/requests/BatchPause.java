package io.leasekit.requests;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.internal.Text;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pause of batches while the table denies them (protocol 5.10): a minute at first, later up to an hour. One batch
 * that is answered ends the pauses. Thread-safe.
 */
@Internal
public final class BatchPause {

    private static final Logger log = LoggerFactory.getLogger(BatchPause.class);
    private static final long FIRST_PAUSE = 60 * SECOND;
    private static final long LAST_PAUSE = 3_600 * SECOND;

    private final EngineTime time;
    private final String table;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private boolean paused;
    private long pausedUntil;
    private long pause = FIRST_PAUSE;

    public BatchPause(EngineTime time, String table) {
        this.time = time;
        this.table = table;
    }

    /** Returns how many writes fit into one request at present. */
    int size() {
        return isPaused() ? 1 : RenewBatch.MAX_COMMANDS;
    }

    private boolean isPaused() {
        lock.lock();
        try {
            return paused && time.nanos() - pausedUntil < 0;
        } finally {
            lock.unlock();
        }
    }

    /** Pauses batches if a reply says that they are denied, and ends the pauses if one was answered. */
    void judge(StoreReply reply) {
        boolean denied = reply instanceof StoreReply.Failed failed && failed.kind() == FailureKind.BATCH_REJECTED;
        boolean changed;
        lock.lock();
        try {
            changed = denied ? !isPaused() : paused && !(reply instanceof StoreReply.Failed);
            if (changed && denied) {
                pausedUntil = time.nanos() + pause;
                pause = Math.min(LAST_PAUSE, 4 * pause);
            } else if (changed) {
                pause = FIRST_PAUSE;
            }
            paused = changed ? denied : paused;
        } finally {
            lock.unlock();
        }
        if (changed) {
            Quietly.run(() -> report(reply));
        }
    }

    private void report(StoreReply reply) {
        if (reply instanceof StoreReply.Failed failed) {
            log.info(
                    "Renewals and releases in table {} are sent one by one for a while, because batches are denied:"
                            + " \"{}\"; the IAM action 'dynamodb:PartiQLUpdate' allows them",
                    table,
                    Text.plain(String.valueOf(failed.cause().getMessage())));
        } else {
            log.info("Renewals and releases in table {} are sent in batches again", table);
        }
    }
}
