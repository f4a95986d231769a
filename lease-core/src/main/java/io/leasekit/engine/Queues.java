package io.leasekit.engine;

import io.leasekit.engine.Releases.Release;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queues of callers of this process, one for each key in use (6.1). Thread-safe. */
final class Queues {

    private final EngineParts parts;
    private final LiveLeases live;
    private final ConcurrentMap<String, KeyQueue> queues = new ConcurrentHashMap<>();

    Queues(EngineParts parts, LiveLeases live) {
        this.parts = parts;
        this.live = live;
    }

    /** Returns the policy for an acquire of these items. The acquire must enter the policy exactly once. */
    QueuePolicy.Turns of(List<String> items) {
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

    /** Removes an idle queue unless a caller is about to enter it. */
    private void retire(KeyQueue idle) {
        queues.computeIfPresent(idle.key(), (key, known) -> known == idle && idle.expectsNobody() ? null : known);
    }

    /**
     * The policy for a lease of several items. Its acquires join no queue. Each acquire tries to get all items at once
     * and holds nothing while it waits. Callers that request the same keys in a different order therefore cannot
     * deadlock. Such a lease is never handed over.
     *
     * <p>While this process releases one of the keys, an acquire of several keys waits for that release, for at most
     * the timeout of one request. In the same way, a caller of a single key waits for the release of a lease of several
     * keys that include this key. So no caller is refused because of a lease that its own process is releasing.
     */
    private final class GroupTurns implements QueuePolicy.Turns {

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
