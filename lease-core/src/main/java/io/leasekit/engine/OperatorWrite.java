package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.kernel.EngineParts;
import io.leasekit.requests.Requests;
import io.leasekit.store.StoreReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends and retries a write that an operator requests, such as a forced release. Only one attempt is in progress at a
 * time.
 */
final class OperatorWrite<T> {

    private static final long MAX_BACKOFF = SECOND;

    final CompletableFuture<T> result = new CompletableFuture<>();

    private final EngineParts parts;
    private final Runnable attempt;
    private final long begun;
    private boolean unanswered;
    private int failures;

    /** {@code attempt} sends the write once, or sends the read that must precede the write. */
    OperatorWrite(EngineParts parts, Runnable attempt) {
        this.parts = parts;
        this.attempt = attempt;
        this.begun = parts.clock.now();
    }

    void synced(String key) {
        parts.path.sync().sync(key, (failure, rejected) -> {
            if (failure == null) {
                attempt.run();
            } else {
                tryLater(failure);
            }
        });
    }

    /** If the client has sent copies of the request, a copy may have been applied without a reply. */
    void replied(StoreReply outcome) {
        unanswered |= outcome.resent();
    }

    boolean isUnanswered() {
        return unanswered;
    }

    void onFailed(String key, StoreReply.Failed failed) {
        LeaseStoreException error = parts.requests.error(List.of(key), failed.cause());
        unanswered |= failed.kind() == StoreReply.FailureKind.UNKNOWN;
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            result.completeExceptionally(error);
        } else {
            tryLater(error);
        }
    }

    private void tryLater(LeaseStoreException error) {
        failures++;
        long delay = Requests.backoff(failures, MAX_BACKOFF, parts.random);
        if (parts.live.isClosed() || parts.clock.now() - begun + delay > parts.storeTimeout) {
            result.completeExceptionally(error);
        } else {
            parts.time.schedule(delay, attempt);
        }
    }
}
