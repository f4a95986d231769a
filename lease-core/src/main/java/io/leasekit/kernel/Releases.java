package io.leasekit.kernel;

import io.leasekit.internal.Internal;
import io.leasekit.requests.Requests;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.threads.Sender;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Creates and sends the releases of one manager, and tracks them until they are done (protocol 5.3). Thread-safe. */
@Internal
public final class Releases {

    private final EngineParts parts;
    private final Runnable onDone;
    // Each value is the monotonic time at which the lease or the acquire ended.
    private final ConcurrentMap<Release, Long> underWay = new ConcurrentHashMap<>();
    private final ConcurrentMap<UUID, Delayed> delayed = new ConcurrentHashMap<>(); // by tenure
    private volatile boolean closing;

    Releases(EngineParts parts, Runnable onDone) {
        this.parts = parts;
        this.onDone = onDone;
    }

    // ---- sending

    public void send(Release release) {
        send(release, parts.time.nanos());
    }

    /** {@code since}: the monotonic time at which the lease or the acquire ended. */
    public void send(Release release, long since) {
        if (release.mayBeOverwritten()) {
            parts.observer.ended(release.tenure());
        }
        underWay.put(release, since);
        delayed.remove(release.tenure());
        release.done().whenComplete((done, never) -> {
            underWay.remove(release);
            onDone.run();
        });
        release.send();
    }

    /** Protocol 6.2: the release is not sent, because an acquire of this process takes over the lease. */
    void handedOver(Release release) {
        underWay.remove(release);
    }

    /** Returns the releases in progress, without delayed releases. */
    Set<Release> underWay() {
        return underWay.keySet();
    }

    /** Returns the monotonic times at which the leases or acquires of the releases in progress ended. */
    LongStream sinceWhen() {
        return underWay.values().stream().mapToLong(Long::longValue);
    }

    void whenDone(CompletableFuture<Void> released, Runnable step) {
        CompletableFuture<Void> copy = released.thenRun(() -> {}); // the timeout completes this copy, not the original
        parts.time.completeOnTimeout(copy, Requests.TIMEOUT).thenRun(step);
    }

    // ---- delays

    /** Protocol 6.5: calls {@code send} once, at the end of the delay or when the manager closes. */
    public void delay(Release release, Runnable send) {
        Delayed one = new Delayed(release, send);
        delayed.put(release.tenure(), one);
        underWay.remove(release);
        one.sleep();
        if (closing) {
            one.end();
        }
    }

    void beginClosing() {
        closing = true;
    }

    void endDelays() {
        delayed.values().stream()
                .sorted(Comparator.comparing(one -> one.release.tenure()))
                .toList()
                .forEach(Delayed::end);
    }

    boolean areAllDone() {
        // A release that moves between 'underWay' and 'delayed' is in both maps for a short time.
        return underWay.isEmpty() && delayed.isEmpty() && underWay.isEmpty();
    }

    public Release.@Nullable Delay delayOf(@Nullable UUID tenure) {
        Delayed one = tenure == null ? null : delayed.get(tenure);
        return one == null ? null : one.release.delay();
    }

    private final class Delayed {
        private final Release release;
        private final Runnable send;
        private final AtomicBoolean ended = new AtomicBoolean();

        Delayed(Release release, Runnable send) {
            this.release = release;
            this.send = send;
        }

        /** Waits again if the timer fires too early: an early release would write a hold of at least about 5 s. */
        void sleep() {
            Release.Delay delay = release.delay();
            long left = delay == null ? 0 : delay.until() - parts.time.nanos();
            if (left > 0 && !ended.get()) {
                parts.time.schedule(left, this::sleep);
            } else {
                end();
            }
        }

        void end() {
            if (ended.compareAndSet(false, true)) {
                send.run();
            }
        }
    }

    // ---- creating

    /**
     * Creates the release of a lease under which no code runs any more. The release counts as in progress from this
     * call until it is done, delayed or handed over.
     */
    Release begin(
            LeaseSpec spec,
            Tenure tenure,
            long holdUntil,
            LeaseRecords.Ending records,
            @Nullable Confirmed held,
            CompletableFuture<Void> done,
            Sender.@Nullable Sending sending) {
        Release release = new Release(parts, spec, tenure, null, records, holdUntil, held, done, sending);
        underWay.put(release, release.begun());
        return release;
    }

    /** The release also ends the lease of {@code predecessor}, which was to be handed over to the acquire. */
    Release ofGivenUp(LeaseSpec spec, Tenure tenure, @Nullable Release predecessor) {
        if (predecessor != null && tenure.last() == 0) {
            return predecessor; // the acquire has written nothing
        }
        tenure.forgetRecords(); // the records that the acquire last saw may be older than its own write
        tenure.covers(predecessor == null ? 0 : predecessor.longestClaim());
        CompletableFuture<Void> done = predecessor == null ? new CompletableFuture<>() : predecessor.done();
        LeaseRecords.Ending records = parts.records.ofGivenUp(spec, tenure);
        return new Release(parts, spec, tenure, predecessor, records, parts.time.nanos(), null, done, null).quietly();
    }
}
