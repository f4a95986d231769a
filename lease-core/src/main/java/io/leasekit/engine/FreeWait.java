package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseWatch.State;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A wait until a key is free. It ends by a read that began after it, so each wait looks at least once. Thread-safe. */
final class FreeWait implements Watcher {

    final CompletableFuture<Boolean> result = new CompletableFuture<>();
    private volatile boolean seen; // the key was read, and was not seen free
    private volatile boolean over;
    private volatile @Nullable Throwable failure; // of the latest read that failed

    /** Begins the timeout of the wait; {@code patienceNanos}: how long it lasts at least until the first look. */
    void begin(String key, EngineTime time, long timeoutNanos, long patienceNanos) {
        long longest = Math.max(timeoutNanos, patienceNanos);
        EngineTime.Timer end = time.schedule(timeoutNanos, () -> {
            over = true;
            endIfOver();
        });
        EngineTime.Timer blind = time.schedule(longest, () -> result.completeExceptionally(unread(key, longest)));
        var unused = result.whenComplete((free, failed) -> {
            end.cancel();
            blind.cancel();
        });
    }

    @Override
    public void onState(State state, boolean isBlind) {
        if (state.isFree()) {
            result.complete(true);
        }
        seen |= !isBlind;
        endIfOver();
    }

    private void endIfOver() {
        if (over && seen) {
            result.complete(false);
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        failure = cause;
    }

    @Override
    public void onClose() {
        result.completeExceptionally(new LeaseException("Lease manager was closed while a key was waited for", null));
    }

    private LeaseStoreException unread(String key, long nanos) {
        Throwable cause = failure;
        String within = " within " + Text.exact(Duration.ofNanos(nanos));
        String text = cause == null
                ? "Lease " + Text.quote(key) + " could not be read" + within
                : Text.why(cause) + "; no read succeeded" + within;
        return new LeaseStoreException(text, cause);
    }
}
