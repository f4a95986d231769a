package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the leases of one manager share: the store, the clock, what was observed, the registers of what is under way, and
 * the way a request goes out and its reply comes back. Thread-safe.
 */
final class LeaseEngine {

    private static final long READ_TIMEOUT = 2 * SECOND;
    private static final long CLOSING_RELEASES = 5 * SECOND;

    final LeaseStore store;
    final LeaseSettings settings;
    final EngineTime time;
    final LeaseRules rules;
    final RandomGenerator random;
    final Events events;
    final BoundedClock clock;
    final Observations observations;
    private final Supplier<UUID> tenures;
    private final Runnable onClosed;

    private final Set<Acquisition> acquiring = ConcurrentHashMap.newKeySet();
    private final Set<HeldLease> held = ConcurrentHashMap.newKeySet();
    private final Set<Release> releasing = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable CompletableFuture<Reply>> syncing = new AtomicReference<>();
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
            Runnable onClosed) {}

    LeaseEngine(Parts parts) {
        this.store = parts.store;
        this.settings = parts.settings;
        this.time = parts.time;
        this.rules = parts.rules;
        this.random = parts.random;
        this.tenures = parts.tenures;
        this.events = parts.events;
        this.onClosed = parts.onClosed;
        this.clock = new BoundedClock(time, rules, this::onJump);
        this.observations = new Observations(LeaseTerms.nanos(settings.observationTime()));
    }

    UUID newTenure() {
        return tenures.get();
    }

    private void onJump() {
        held.forEach(HeldLease::onJump);
    }

    // ---- acquiring

    private Acquisition begin(LeaseRequest request) {
        Acquisition acquisition = new Acquisition(this, LeaseTerms.of(request, settings));
        acquiring.add(acquisition);
        if (closing.get() != null) {
            acquiring.remove(acquisition);
            throw closed();
        }
        acquisition.start();
        return acquisition;
    }

    private LeaseException closed() {
        return new LeaseException("Lease manager of owner " + Text.quote(settings.owner()) + " is closed", null);
    }

    AcquireResult acquireBlocking(LeaseRequest request) {
        Acquisition acquisition = begin(request);
        try {
            return await(acquisition.result(), "lease " + Text.quote(request.key()));
        } catch (LeaseInterruptedException e) {
            acquisition.cancel(e);
            throw e;
        }
    }

    CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        Acquisition acquisition = begin(request);
        CompletableFuture<Optional<Lease>> future = new CompletableFuture<>();
        future.whenComplete((lease, error) -> {
            if (future.isCancelled()) {
                acquisition.cancel(
                        new LeaseException("Acquire of lease " + Text.quote(request.key()) + " was cancelled", null));
            }
        });
        acquisition
                .result()
                .thenAccept(result -> events.runOnCallbacks(() -> {
                    if (result instanceof AcquireResult.Failed failed) {
                        future.completeExceptionally(failed.error());
                    } else {
                        future.complete(result.lease());
                    }
                }));
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

    // ---- requests and replies

    /**
     * Sends a request and takes in what its reply tells of the time and of the item. The consumer is called, on any thread,
     * when the reply is there or its time is over; and once more if the reply comes after all.
     */
    void call(
            BoundedClock.Reading reading,
            long timeoutNanos,
            Function<Duration, CompletionStage<StoreReply>> request,
            Consumer<Reply> consumer) {
        call(reading.sent(), reading.epoch(), timeoutNanos, request, consumer);
    }

    /** Reads an item, consistently; the consumer as in {@link #call}. */
    void read(String key, Consumer<Reply> consumer) {
        int epoch = clock.epoch(); // first: a jump between the two must not be overlooked
        long sent = clock.now();
        call(sent, epoch, READ_TIMEOUT, timeout -> store.read(key, timeout), consumer);
    }

    private void call(
            long sent,
            int epoch,
            long timeoutNanos,
            Function<Duration, CompletionStage<StoreReply>> request,
            Consumer<Reply> consumer) {
        CompletableFuture<StoreReply> stage = sendSafely(request, Duration.ofNanos(timeoutNanos));
        EngineTime.Timer watch = stage.isDone()
                ? () -> {}
                : time.schedule(timeoutNanos, () -> consumer.accept(timedOut(sent, timeoutNanos)));
        stage.whenComplete((outcome, error) -> {
            watch.cancel();
            long at = clock.now();
            StoreReply known = outcome != null ? outcome : unknown(error);
            takeIn(known, sent, epoch, at);
            consumer.accept(new Reply(known, sent, at));
        });
    }

    private static CompletableFuture<StoreReply> sendSafely(
            Function<Duration, CompletionStage<StoreReply>> request, Duration timeout) {
        try {
            return request.apply(timeout).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Reply timedOut(long sent, long timeoutNanos) {
        String text = "No reply of table " + store.name() + " within " + Duration.ofNanos(timeoutNanos);
        return new Reply(unknown(new TimeoutException(text)), sent, clock.now());
    }

    private static StoreReply unknown(Throwable error) {
        return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, error, null, false);
    }

    private void takeIn(StoreReply outcome, long sent, int epoch, long at) {
        Instant date = outcome.date();
        if (date != null) {
            clock.sample(sent, epoch, at, date);
        }
        LeaseItem item = outcome instanceof StoreReply.Refused refused
                ? refused.item()
                : outcome instanceof StoreReply.Found found ? found.item() : null;
        if (item != null) {
            observations.saw(item, rules.observedSince(sent, at));
        }
    }

    /** Returns whether the reply's date contradicts the clock that a write was made with. */
    boolean contradicts(BoundedClock.Reading write, Reply reply) {
        Instant date = reply.outcome().date();
        return date != null && clock.contradicts(write, reply.sent(), reply.at(), date);
    }

    /**
     * Reads an item so that the clock has a sample, once for all who ask meanwhile; the consumer gets {@code null} or the
     * error.
     */
    void syncClock(String key, Consumer<@Nullable LeaseStoreException> consumer) {
        CompletableFuture<Reply> fresh = new CompletableFuture<>();
        CompletableFuture<Reply> current = syncing.compareAndExchange(null, fresh);
        if (current == null) {
            fresh.whenComplete((reply, never) -> consumer.accept(syncFailure(key, reply)));
            read(key, reply -> {
                syncing.compareAndSet(fresh, null);
                fresh.complete(reply);
            });
        } else {
            current.whenComplete((reply, never) -> consumer.accept(syncFailure(key, reply)));
        }
    }

    private @Nullable LeaseStoreException syncFailure(String key, Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            return storeError(key, failed.cause());
        }
        return reply.outcome().date() != null
                ? null
                : new LeaseStoreException(
                        "Replies of table " + store.name()
                                + " carry no 'Date', expected DynamoDB's time in each: leases"
                                + " cannot be kept there",
                        null);
    }

    LeaseStoreException storeError(String key, Throwable cause) {
        return new LeaseStoreException(
                "Lease " + Text.quote(key) + " in table " + store.name() + ": " + cause.getMessage(), cause);
    }

    Optional<LeaseInfo> find(String key) {
        CompletableFuture<Reply> answered = new CompletableFuture<>();
        read(key, answered::complete);
        Reply reply = await(answered, "the read of lease " + Text.quote(key));
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            throw storeError(key, failed.cause());
        }
        return reply.outcome() instanceof StoreReply.Found found
                ? Optional.ofNullable(found.item()).map(LeaseInfo::of)
                : Optional.empty();
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
            future.get(READ_TIMEOUT, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // goes on in the background
        }
    }

    /** Returns a stage whose dependents run on the callback executor. */
    <T> CompletionStage<T> onCallbacks(CompletableFuture<T> future) {
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
        acquiring.forEach(acquisition -> acquisition.cancel(closed()));
        within(nothingHeld, LeaseTerms.nanos(settings.closeTimeout()))
                .thenCompose(drained -> {
                    held.forEach(HeldLease::loseBecauseClosed);
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
