package io.leasekit.watch;

import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseWatch.State;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A wait until a key is free. It ends by a read that began after it, so each wait looks at least once. Thread-safe. */
final class FreeWait implements Watcher.Reads {

    private final CompletableFuture<Boolean> result = new CompletableFuture<>();
    private final String key;
    private volatile boolean seen; // the key was read, and was not seen free
    private volatile boolean over;
    private volatile @Nullable Throwable failure; // of the latest read that failed

    FreeWait(String key) {
        this.key = key;
    }

    CompletableFuture<Boolean> result() {
        return result;
    }

    /** Begins the timeout of the wait; {@code patienceNanos}: how long it lasts at least until the first look. */
    void begin(EngineTime time, long timeoutNanos, long patienceNanos) {
        long longest = Math.max(timeoutNanos, patienceNanos);
        EngineTime.Timer end = time.schedule(timeoutNanos, this::onTimeout);
        EngineTime.Timer blind = time.schedule(longest, () -> onBlind(longest));
        var unused = result.whenComplete((free, failure) -> {
            end.cancel();
            blind.cancel();
        });
    }

    /** Takes in the state that a read has shown. It is unknown if it contradicts an earlier one. */
    @Override
    public void succeeded(State state) {
        if (state.isFree()) {
            result.complete(true);
        } else {
            seen = true;
            if (over) {
                result.complete(false);
            }
        }
    }

    @Override
    public void failed(Throwable cause) {
        failure = cause;
    }

    private void onTimeout() {
        over = true;
        if (seen) {
            result.complete(false);
        }
    }

    private void onBlind(long nanos) {
        if (!seen) {
            Throwable cause = failure;
            String within = " within " + Text.exact(Duration.ofNanos(nanos));
            String text = cause == null
                    ? "Lease " + Text.quote(key) + " could not be read" + within
                    : Text.why(cause) + "; no read succeeded" + within;
            result.completeExceptionally(new LeaseStoreException(text, cause));
        }
    }
}
