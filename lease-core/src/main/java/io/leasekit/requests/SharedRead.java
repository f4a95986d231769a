package io.leasekit.requests;

import io.leasekit.internal.Internal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A read that callers share until its reply arrives. Thread-safe. */
@Internal
public final class SharedRead<T> {

    private final Requests requests;
    private final AtomicReference<@Nullable CompletableFuture<T>> inProgress = new AtomicReference<>();

    public SharedRead(Requests requests) {
        this.requests = requests;
    }

    /**
     * Sends the read, or waits for the reply to a read that is already in flight.
     *
     * @param send sends the read, and must pass its result to the consumer exactly once
     */
    public void join(BiConsumer<Requests.Outgoing, Consumer<T>> send, Consumer<T> then) {
        CompletableFuture<T> fresh = new CompletableFuture<>();
        CompletableFuture<T> current = inProgress.compareAndExchange(null, fresh);
        var unused = (current == null ? fresh : current).thenAccept(then);
        if (current == null) {
            try {
                requests.atOnce(
                        RequestLimiter.Kind.LOOK,
                        request -> send.accept(request, result -> {
                            inProgress.set(null);
                            requests.together(() -> fresh.complete(result));
                        }));
            } catch (Throwable e) {
                // The read may fail because no thread can be started; the next caller then sends a new read.
                inProgress.set(null);
                throw e;
            }
        }
    }
}
