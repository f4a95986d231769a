package io.leasekit.kernel;

import io.leasekit.internal.Internal;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The queues in which callers of this process wait for a key, one queue for each key in use (protocol 6.1).
 * Thread-safe.
 */
@Internal
public final class Queues {

    private final EngineParts parts;
    private final ConcurrentMap<String, KeyQueue> queues = new ConcurrentHashMap<>();

    public Queues(EngineParts parts) {
        this.parts = parts;
    }

    /** The acquire must enter the returned queue exactly once. */
    public LocalQueue.Turns of(List<String> items) {
        return items.size() == 1 ? queueOf(items.get(0)) : new GroupTurns(items);
    }

    private KeyQueue queueOf(String wanted) {
        return queues.compute(wanted, this::expectingOne);
    }

    private KeyQueue expectingOne(String key, @Nullable KeyQueue known) {
        KeyQueue queue = known == null ? new KeyQueue(key, parts, this::retire) : known;
        queue.expectOne();
        return queue;
    }

    /** Removes a queue without callers, unless a caller is about to enter the queue. */
    private void retire(KeyQueue idle) {
        queues.computeIfPresent(idle.key(), (key, known) -> known == idle && idle.expectsNobody() ? null : known);
    }

    /**
     * Starts the acquires of leases of several items, which do not wait in a queue. An acquire requests all items at
     * once and holds no item while the acquire waits, so callers cannot deadlock. A lease of several items is never
     * passed directly to another caller.
     *
     * <p>An acquire of several keys waits for releases of these keys in this process, but only for the timeout of one
     * request. Callers of these keys wait while their process releases a lease of several keys, instead of being
     * refused.
     */
    private final class GroupTurns implements LocalQueue.Turns {

        private final List<String> items;

        GroupTurns(List<String> items) {
            this.items = items;
        }

        @Override
        public void enter(Acquisition acquisition) {
            Runnable start = () -> acquisition.start(AcquireLoop::ask);
            Stream<CompletableFuture<Void>> inFlight = parts.releases.underWay().stream()
                    .filter(release -> !Collections.disjoint(release.keys(), items))
                    .map(Release::done);
            CompletableFuture<?>[] touching =
                    Stream.concat(parts.live.givenBack(items), inFlight).toArray(CompletableFuture[]::new);
            if (touching.length == 0) {
                start.run();
            } else {
                parts.releases.whenDone(CompletableFuture.allOf(touching), start);
            }
        }

        @Override
        public void onEnded(Acquisition acquisition, @Nullable Release release) {
            if (release != null) {
                awaitInQueues(release.done());
            }
        }

        @Override
        public void onGivenBack(CompletableFuture<Void> released) {
            awaitInQueues(released);
        }

        @Override
        public void release(LeaseState lease, Release release, boolean mayHandOver) {
            if (release.delay() != null) {
                parts.releases.delay(release, () -> parts.releases.send(release));
            } else {
                parts.releases.send(release);
            }
        }

        private void awaitInQueues(CompletableFuture<Void> released) {
            items.forEach(key -> queueOf(key).enterRelease(released));
        }
    }
}
