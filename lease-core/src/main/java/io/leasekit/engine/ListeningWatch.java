package io.leasekit.engine;

import io.leasekit.LeaseWatch;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A watch that never calls its listener on two threads at the same time. Thread-safe. */
final class ListeningWatch implements LeaseWatch {

    private static final Logger log = LoggerFactory.getLogger(ListeningWatch.class);

    /** Completes after the first successful read that began after this watch was opened. */
    final CompletableFuture<Void> read = new CompletableFuture<>();

    private final String key;
    private final Listener listener;
    private final Executor executor;
    private final Consumer<ListeningWatch> onClose;
    private final AtomicReference<@Nullable State> waiting = new AtomicReference<>();
    private final AtomicBoolean calling = new AtomicBoolean();
    private @Nullable State newest; // only the mailbox of the KeyPoller uses this field
    private volatile boolean closed;

    ListeningWatch(String key, Listener listener, Executor executor, Consumer<ListeningWatch> onClose) {
        this.key = key;
        this.listener = listener;
        this.executor = executor;
        this.onClose = onClose;
    }

    @Override
    public String key() {
        return key;
    }

    /** If the executor rejects the task, the next read passes the state to the listener. */
    void onState(State state) {
        if (!state.equals(newest)) {
            newest = state;
            waiting.set(state);
        }
        start();
    }

    private void start() {
        if (closed || waiting.get() == null || !calling.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::call);
        } catch (Throwable e) {
            calling.set(false);
            Quietly.run(() -> log.warn("Watch of lease {} could not call its listener", Text.quote(key), e));
        }
    }

    private void call() {
        State next = waiting.getAndSet(null);
        if (next != null && !closed) {
            try {
                listener.onState(next);
            } catch (Throwable e) {
                Quietly.run(() -> log.warn("Watch of lease {}: its listener failed for {}", Text.quote(key), next, e));
            }
        }
        calling.set(false);
        start();
    }

    @Override
    public void close() {
        closed = true;
        onClose.accept(this);
    }
}
