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
    private final LiveLeases live;
    private final ConcurrentMap<String, KeyQueue> queues = new ConcurrentHashMap<>();

    public Queues(EngineParts parts, LiveLeases live) {
        this.parts = parts;
        this.live = live;
    }

    /** Returns the queue for an acquire of these items. The acquire must enter this queue exactly once. */
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

    /** Removes a queue without callers, unless a caller is about to enter it. */
    private void retire(KeyQueue idle) {
        queues.computeIfPresent(idle.key(), (key, known) -> known == idle && idle.expectsNobody() ? null : known);
    }

    /**
     * Takes the place of a queue for leases of several items. An acquire of several items waits in no queue: it tries
     * to get all items at once, and holds none of them while it waits. Therefore, callers that request the same keys in
     * a different order cannot deadlock. A lease of several items is never passed directly to another caller.
     *
     * <p>If this process is releasing one of the keys, an acquire of several keys waits for that release, but only for
     * the timeout of one request. If this process is releasing a lease of several keys, a caller of one of these keys
     * waits for that release. So no caller is refused because of a lease that its own process is releasing.
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
                    Stream.concat(live.givenBack(items), inFlight).toArray(CompletableFuture[]::new);
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
