package io.leasekit.storm;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Records what the manager reports of the leader's leases: their grants, and the begins of their releases. So the judge need
 * not rely on the leader's work for them. Thread-safe.
 */
final class TermEvents implements LeaseListener {

    private final History history;
    private final ConcurrentMap<Long, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();

    TermEvents(History history) {
        this.history = history;
    }

    /** Returns a future that completes once the lease with this token was reported as released or lost. */
    CompletableFuture<Void> end(long token) {
        return ends.computeIfAbsent(token, first -> new CompletableFuture<>());
    }

    @Override
    public void onEvent(LeaseEvent event) {
        if (!event.key().equals(Scene.LEADER)) {
            return;
        }
        if (event instanceof LeaseEvent.Acquired acquired) {
            record("acquired", acquired.fencingToken());
        } else if (event instanceof LeaseEvent.Released released) {
            record("given back", released.fencingToken());
            end(released.fencingToken()).complete(null);
        } else if (event instanceof LeaseEvent.Lost lost) {
            end(lost.fencingToken()).complete(null);
        }
    }

    private void record(String kind, long token) {
        history.add(Event.of(kind)
                .keys(List.of(Scene.LEADER))
                .with(Event.TOKEN, token)
                .with(Event.TO, System.nanoTime()));
    }
}
