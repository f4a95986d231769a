package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the leases of one manager share: the store, the clock, what was observed, the registers of what is under way, and
 * the way a request goes out and its reply comes back. Thread-safe.
 */
final class LeaseEngine {

    private static final long CLOSING_RELEASES = 5 * SECOND;

    final LeaseStore store;
    final LeaseSettings settings;
    final EngineTime time;
    final LeaseRules rules;
    final RandomGenerator random;
    final Events events;
    final BoundedClock clock;
    final Observations observations;
    final Requests requests;
    final Renewals renewals;
    final Heartbeats heartbeats;
    final Inspection inspection = new Inspection(this);
    final Measurements measurements;
    private final Traffic traffic = new Traffic();
    private final Supplier<UUID> tenures;
    private final Runnable onClosed;

    private final ConcurrentMap<String, KeyQueue> queues = new ConcurrentHashMap<>();
    private final Set<Acquisition> acquiring = ConcurrentHashMap.newKeySet();
    final Set<HeldLease> held = ConcurrentHashMap.newKeySet();
    private final Set<Release> releasing = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable CompletableFuture<Void>> closing = new AtomicReference<>();
    private final CompletableFuture<Void> nothingHeld = new CompletableFuture<>();
    private final CompletableFuture<Void> nothingUnderWay = new CompletableFuture<>();

    /** What an engine is made of; {@code onClosed} frees what was made for it. */
    record Parts(
            LeaseStore store,
            LeaseSettings settings,
            EngineTime time,
            LeaseRules rules,
            RandomGenerator random,
            Supplier<UUID> tenures,
            Events events,
            Measurements measurements,
            Runnable onClosed) {}

    LeaseEngine(Parts parts) {
        this.settings = parts.settings;
        this.time = parts.time;
        this.measurements = parts.measurements;
        this.store = new MeasuredStore(parts.store, time, measurements, traffic);
        this.rules = parts.rules;
        this.random = parts.random;
        this.tenures = parts.tenures;
        this.events = parts.events;
        this.onClosed = parts.onClosed;
        this.clock = new BoundedClock(time, rules, this::onJump);
        this.observations = new Observations(LeaseTerms.nanos(settings.observationTime()));
        this.renewals = new Renewals(this);
        this.requests = new Requests(store, time, rules, clock, observations, renewals::together);
        this.heartbeats = new Heartbeats(time, renewals);
    }

    UUID newTenure() {
        return tenures.get();
    }

    private void onJump() {
        renewals.together(() -> inOrder(held, HeldLease::tenure).forEach(HeldLease::renewNow));
    }

    /** In an order that is the same each time: a schedule of a test repeats. */
    private static <T> Stream<T> inOrder(Set<T> all, Function<T, UUID> tenure) {
        return all.stream().sorted(Comparator.comparing(tenure));
    }

    /** Lets the lease with this token learn at once what has become of it, if it is one of ours. */
    void renewNow(String key, long token) {
        held.stream()
                .filter(lease -> lease.keys().contains(key) && lease.fencingToken() == token)
                .forEach(HeldLease::renewNow);
    }

    // ---- acquiring

    private Acquisition begin(LeaseRequest request) {
        LeaseTerms terms = LeaseTerms.of(request, settings);
        if (closing.get() != null) {
            throw closed();
        }
        Turns turns = terms.isGroup() ? new GroupTurns(this, terms.keys()) : queueOf(terms.key());
        Acquisition acquisition = new Acquisition(this, terms, turns);
        acquiring.add(acquisition);
        turns.enter(acquisition);
        acquisition.onEntered();
        if (closing.get() != null) {
            acquisition.stop(closed());
        }
        return acquisition;
    }

    /** The queue of this key, which stays until somebody has entered it. */
    private KeyQueue queueOf(String wanted) {
        return queues.compute(wanted, this::expectingOne);
    }

    private KeyQueue expectingOne(String key, @Nullable KeyQueue known) {
        KeyQueue queue = known == null ? new KeyQueue(this, key) : known;
        queue.expectOne();
        return queue;
    }

    /** Forgets an idle queue, unless somebody is about to enter it. */
    void retire(String key, KeyQueue idle) {
        queues.computeIfPresent(key, (k, known) -> known == idle && idle.expectsNobody() ? null : known);
    }

    /** Lets those who want one of these keys wait for the release. */
    void awaitInQueues(List<String> keys, CompletableFuture<Void> released) {
        keys.forEach(key -> queueOf(key).enterRelease(released));
    }

    /** Runs the step when no release of this process that touches one of these keys is in flight, or their time is over. */
    void whenReleased(List<String> keys, Runnable step) {
        Stream<CompletableFuture<Void>> givenBack = held.stream()
                .filter(lease -> lease.isGivenBack() && !Collections.disjoint(lease.keys(), keys))
                .map(HeldLease::released);
        Stream<CompletableFuture<Void>> inFlight = releasing.stream()
                .filter(release -> !Collections.disjoint(release.keys(), keys))
                .map(Release::done);
        CompletableFuture<?>[] touching = Stream.concat(givenBack, inFlight).toArray(CompletableFuture[]::new);
        if (touching.length == 0) {
            step.run();
        } else {
            within(CompletableFuture.allOf(touching).thenRun(() -> {}), Requests.TIMEOUT)
                    .thenRun(step);
        }
    }

    boolean isClosing() {
        return closing.get() != null;
    }

    LeaseException closed() {
        return new LeaseException("Lease manager of owner " + Text.quote(settings.owner()) + " is closed", null);
    }

    AcquireResult acquireBlocking(LeaseRequest request) {
        Acquisition acquisition = begin(request);
        if (acquisition.result().isDone()) {
            return acquisition.result().join();
        }
        try {
            return await(acquisition.result(), "lease " + Text.quoteAll(request.keys()));
        } catch (LeaseInterruptedException e) {
            acquisition.cancel(e);
            throw e;
        }
    }

    CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        Acquisition acquisition;
        try {
            acquisition = begin(request);
        } catch (LeaseException e) {
            return CompletableFuture.failedFuture(e);
        }
        AsyncAcquire future = new AsyncAcquire(events, acquisition);
        acquisition.result().thenAccept(future);
        return future;
    }

    void onGranted(HeldLease lease) {
        held.add(lease);
    }

    void onEnded(Acquisition acquisition) {
        acquiring.remove(acquisition);
        checkClosing();
    }

    void onEnded(HeldLease lease) {
        held.remove(lease);
        checkClosing();
    }

    /** Sends the release of a tenure that is over; its versions are dead from here on. */
    void release(Tenure tenure, Release release) {
        observations.ended(tenure.id());
        releasing.add(release);
        release.done().whenComplete((done, never) -> {
            releasing.remove(release);
            checkClosing();
        });
        release.send();
    }

    List<LeaseWait> waiting() {
        long now = clock.now();
        return acquiring.stream()
                .map(acquisition -> acquisition.waiting(now))
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(LeaseWait::key))
                .toList();
    }

    LeaseManagerStatus status() {
        long now = clock.now();
        Traffic.State last = traffic.state();
        BoundedClock.Interval interval = clock.at(now);
        return new LeaseManagerStatus(
                settings.owner(),
                settings.ttl(),
                held.size(),
                waiting().size(),
                (int) held.stream().filter(lease -> lease.isOverdue(now)).count(),
                Traffic.since(last.success(), now),
                Traffic.since(last.failure(), now),
                Traffic.since(last.failing(), now),
                interval == null ? null : Duration.ofMillis(clock.wallMillisAhead(interval)),
                interval == null ? null : Duration.ofNanos((interval.latest() - interval.earliest()) / 2));
    }

    Instant time() {
        if (isClosing()) {
            throw closed();
        }
        return await(new TimeQuery(this).result(), "the time of table " + store.name());
    }

    // ---- waiting

    /** Waits for a step of the engine; what completes exceptionally returns {@code null}. */
    <T> T await(CompletableFuture<T> future, String what) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseInterruptedException("Interrupted while waiting for " + what, e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof LeaseException known
                    ? known
                    : new LeaseException("Waiting for " + what + " failed", e.getCause());
        }
    }

    /** Waits for as long as one request may take; then it goes on in the background. */
    void awaitBriefly(CompletableFuture<Void> future) {
        try {
            future.get(Requests.TIMEOUT, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // goes on in the background
        }
    }

    /** Returns a stage whose dependents run on the callback executor, or on the caller's thread if it is complete by now. */
    <T> CompletionStage<T> onCallbacks(CompletableFuture<T> future) {
        if (future.isDone()) {
            return future.minimalCompletionStage();
        }
        CompletableFuture<T> outer = new CompletableFuture<>();
        future.thenAccept(value -> events.runOnCallbacks(() -> outer.complete(value)));
        return outer.minimalCompletionStage();
    }

    // ---- the end

    void close() {
        CompletableFuture<Void> done = closeAsync().toCompletableFuture();
        long patience = LeaseTerms.nanos(settings.closeTimeout()) + CLOSING_RELEASES + SECOND;
        try {
            done.get(patience, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // the leases end with their ttl
        }
    }

    CompletionStage<Void> closeAsync() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> earlier = closing.compareAndExchange(null, done);
        if (earlier != null) {
            return earlier.minimalCompletionStage();
        }
        inOrder(acquiring, Acquisition::tenure).forEach(acquisition -> acquisition.stop(closed()));
        within(nothingHeld, LeaseTerms.nanos(settings.closeTimeout()))
                .thenCompose(drained -> {
                    inOrder(held, HeldLease::tenure).forEach(HeldLease::loseBecauseClosed);
                    return within(nothingUnderWay, CLOSING_RELEASES);
                })
                .thenRun(() -> {
                    onClosed.run();
                    done.complete(null);
                });
        checkClosing();
        return done.minimalCompletionStage();
    }

    private void checkClosing() {
        if (closing.get() != null && held.isEmpty()) {
            nothingHeld.complete(null);
            if (acquiring.isEmpty() && releasing.isEmpty()) {
                nothingUnderWay.complete(null);
            }
        }
    }

    private CompletableFuture<Void> within(CompletableFuture<Void> future, long nanos) {
        EngineTime.Timer timer = time.schedule(nanos, () -> future.complete(null));
        future.whenComplete((done, never) -> timer.cancel());
        return future;
    }
}
