package io.leasekit.engine;

import io.leasekit.ElectionSettings;
import io.leasekit.ForcedRelease;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseLocks;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeasePage;
import io.leasekit.LeasePauses;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import io.leasekit.LeaseWatch;
import io.leasekit.internal.EngineTable;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSettings;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.LocalQueue;
import io.leasekit.kernel.Queues;
import io.leasekit.kernel.Shutdown;
import io.leasekit.leader.Elections;
import io.leasekit.log.CallLog;
import io.leasekit.pause.PauseBoard;
import io.leasekit.pause.PauseControl;
import io.leasekit.requests.Requests;
import io.leasekit.requests.TableState;
import io.leasekit.store.LeaseStore;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Implements {@link LeaseManager} by passing each call to another class. Thread-safe. */
final class LeaseEngine implements LeaseManager, CallLog, EngineTable {

    private final Supplier<Open> source;
    private final LeaseLocks locks = new LeaseLocks(this);
    private volatile Open open;

    LeaseEngine(
            LeaseStore table,
            Supplier<LeaseSettings> settings,
            FeatureRules rules,
            Supplier<EngineParts.Surroundings> around) {
        source = () -> new Open(table, settings.get(), rules, around.get());
        open = source.get();
        open.features.notifier().started(this);
    }

    /**
     * The objects of an open engine, from one opening to the next close. A release that is in progress at a reopening
     * continues in the earlier instance.
     */
    private final class Open {

        private final EngineFeatures features;
        private final EngineParts parts;
        private final Runnable freeResources;
        private final Queues queues;
        private final Permits permits;
        private final Inspection inspection;
        private final LeasePauses pauses;
        private final Elections elections;
        private final WatchedKeys watched;
        private final AtomicReference<@Nullable CompletableFuture<Instant>> awaitedTime = new AtomicReference<>();

        private Open(LeaseStore table, LeaseSettings settings, FeatureRules rules, EngineParts.Surroundings around) {
            freeResources = around.freeResources();
            features = new EngineFeatures(rules, settings.owner(), around);
            parts = new EngineParts(table, settings, rules, around, features);
            queues = new Queues(parts);
            permits = new Permits(parts, features);
            inspection = new Inspection(parts);
            pauses = pauseControl(settings.owner(), features.pauses());
            long releasePatience = Shutdown.releasePatience(LeaseSpec.nanos(settings.closeTimeout));
            elections = new Elections(
                    LeaseEngine.this,
                    parts.time,
                    settings.ttl,
                    releasePatience,
                    parts.random,
                    parts.lines,
                    parts.delivery::stage);
            watched = new WatchedKeys(parts, rules, around.executors().events());
        }

        private PauseControl pauseControl(String owner, PauseBoard board) {
            PauseControl.Parts ofChanges = new PauseControl.Parts(
                    board, parts.requests, parts.clock, parts.time, parts.random, parts.tenures, parts.storeTimeout);
            return new PauseControl(owner, ofChanges, parts.live::ensureOpen, parts.delivery::awaitStore);
        }

        private AcquireCall begin(LeaseRequest request, Sender.@Nullable Sending sending) {
            LeaseSpec spec = LeaseSpec.of(request, parts.settings);
            parts.live.ensureOpen();
            if (request.permits() > 0) {
                return permits.begin(request, spec);
            }
            LocalQueue.Turns localQueue = queues.of(spec.items());
            Acquisition acquisition =
                    new Acquisition(spec, localQueue, parts.newTenure(), parts, sending, parts.time.nanos());
            parts.live.began(acquisition);
            localQueue.enter(acquisition);
            acquisition.onEntered();
            return acquisition;
        }

        private AcquireCall beginHere(LeaseRequest request) {
            return parts.sender.resultOf(sending -> begin(request, sending));
        }

        private CompletableFuture<Instant> awaitTime() {
            CompletableFuture<Instant> fresh = new CompletableFuture<>();
            CompletableFuture<Instant> current = awaitedTime.compareAndExchange(null, fresh);
            if (current == null) {
                var unused = fresh.whenComplete((now, failure) -> awaitedTime.set(null));
                askForTime(fresh);
            }
            return (current == null ? fresh : current).copy();
        }

        private void askForTime(CompletableFuture<Instant> result) {
            try {
                parts.live.ensureOpen();
                var unused = parts.path.sync().time(parts.storeTimeout).whenComplete((now, failure) -> {
                    if (failure == null) {
                        result.complete(now);
                    } else {
                        parts.time.schedule(EngineTime.SECOND, () -> askForTime(result));
                    }
                });
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        }

        private LeaseManagerStatus status() {
            long now = parts.clock.now();
            TableState.Leases leases = parts.live.count(now);
            return parts.path.status(
                    parts.settings.owner(),
                    parts.settings.ttl,
                    leases.held(),
                    leases.waiting(),
                    parts.live.atRisk(now),
                    parts.live.passive());
        }

        private void requestStop() {
            // The elections close first, because an error of a stopping leader must not count as a failure.
            elections.close();
            parts.live.requestStop();
        }

        private CompletableFuture<Void> close() {
            requestStop();
            watched.close();
            return parts.shutdown.close(LeaseSpec.nanos(parts.settings.closeTimeout), freeResources);
        }
    }

    @Override
    public void reopen() {
        if (open.parts.live.isClosed()) {
            open = source.get();
        }
    }

    @Override
    public void countFailedCall(String name) {
        open.parts.path.state().failedCall(name);
    }

    @Override
    public void logFailedCall(Runnable warning, Runnable debug) {
        open.parts.lines.warnUnlessOut(warning, debug);
    }

    @Override
    public Optional<Lease> tryAcquire(LeaseRequest request) {
        Open now = open;
        return now.beginHere(request).await(now.parts.delivery).lease();
    }

    @Override
    public Lease acquire(LeaseRequest request) {
        Open now = open;
        AcquireCall call = now.beginHere(request);
        return call.await(now.parts.delivery).orThrow(call.spec);
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        return acquireAsync(request, null);
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor) {
        Open now = open;
        try {
            return now.parts.delivery.future(now.begin(request, null), executor);
        } catch (LeaseException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public LeaseLock lock(LeaseRequest request) {
        return locks.of(request);
    }

    @Override
    public LeaderElection elect(LeaseRequest request, ElectionSettings wanted, LeaderElection.Work work) {
        return open.elections.elect(request, wanted, work);
    }

    @Override
    public Instant time() {
        return time(Duration.ZERO);
    }

    @Override
    public Instant time(Duration patience) {
        Open now = open;
        now.parts.live.ensureOpen();
        EngineParts parts = now.parts;
        long longest = Math.max(parts.storeTimeout, LeaseSpec.nanos(patience));
        return parts.delivery.await(
                parts.path.sync().time(longest),
                longest + Requests.TIMEOUT, // ends the wait even if no thread starts the request
                "the time of table " + table());
    }

    @Override
    public CompletableFuture<Instant> awaitTime() {
        return open.awaitTime();
    }

    @Override
    public CompletableFuture<Optional<String>> awaitLastRun(String key) {
        Open now = open;
        return now.inspection
                .await(key, now.parts.live::ensureOpen)
                .thenApply(item -> item.map(LeaseInfo::lastRun).map(LeaseRun::name));
    }

    @Override
    public Duration onceRetention() {
        return open.parts.settings.onceRetention();
    }

    @Override
    public String table() {
        return open.parts.path.store().info().name();
    }

    @Override
    public Optional<LeaseInfo> find(String key) {
        Open now = open;
        now.parts.live.ensureOpen();
        return now.parts.delivery.awaitStore(now.inspection.find(key), "the read of lease " + Text.quote(key));
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        Open now = open;
        now.parts.live.ensureOpen();
        return now.parts.delivery.await(
                now.inspection.list(query), now.parts.storeTimeout + Inspection.LONGEST_LIST, "a list of leases");
    }

    @Override
    public List<LeaseStatus> held() {
        return open.parts.live.statuses();
    }

    @Override
    public List<LeaseWait> waiting() {
        Open now = open;
        return now.parts.live.waiting(now.parts.clock.now());
    }

    @Override
    public LeasePauses pauses() {
        return open.pauses;
    }

    @Override
    public LeaseManagerStatus status() {
        return open.status();
    }

    @Override
    public LeaseWatch watch(String key, LeaseWatch.Listener listener) {
        return open.watched.watch(key, listener);
    }

    @Override
    public boolean awaitFree(String key, Duration timeout) {
        return open.watched.awaitFree(key, timeout);
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken) {
        return forceRelease(key, fencingToken, false);
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent) {
        return forceRelease(key, fencingToken, consent == ForcedRelease.TwoMayRun.IMMEDIATELY);
    }

    private ForcedRelease forceRelease(String key, long token, boolean now) {
        return open.parts.delivery.awaitStore(
                forceReleaseAsync(key, token, now), "the forced release of lease " + Text.quote(key));
    }

    CompletableFuture<ForcedRelease> forceReleaseAsync(String key, long token, boolean now) {
        Open here = open;
        here.parts.live.ensureOpen();
        return new Revocation(key, token, now, here.parts, here.features.notifier()).start();
    }

    @Override
    public boolean runAgain(String key, String run, long fencingToken, String by) {
        return open.parts.delivery.awaitStore(
                runAgainAsync(key, run, fencingToken, by), "the permission to run lease " + Text.quote(key) + " again");
    }

    CompletableFuture<Boolean> runAgainAsync(String key, String run, long token, String by) {
        Open here = open;
        here.parts.live.ensureOpen();
        return new RunAgain(key, run, token, by, here.parts, here.features.notifier()).start();
    }

    @Override
    public void close() {
        Open now = open;
        now.parts.delivery.awaitBriefly(
                now.close(), LeaseSpec.nanos(now.parts.settings.closeTimeout) + Shutdown.closingNanos());
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        Open now = open;
        return now.parts.delivery.stage(now.close());
    }

    @Override
    public void requestStop() {
        open.requestStop();
    }
}
