package io.leasekit.test;

import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A manager of the process under test, which gets a new engine for each test. Thread-safe. */
final class OwnManager implements LeaseManager {

    private final Supplier<LeaseManager> engines;
    private final Supplier<VirtualTime> time;
    private volatile LeaseManager engine;

    OwnManager(LeaseManager first, Supplier<LeaseManager> engines, Supplier<VirtualTime> time) {
        this.engine = first;
        this.engines = engines;
        this.time = time;
    }

    /** Replaces the engine. The previous one is not closed: its time has ended. */
    void renew() {
        engine = engines.get();
    }

    @Override
    public Optional<Lease> tryAcquire(LeaseRequest request) {
        return engine.tryAcquire(request);
    }

    @Override
    public Lease acquire(LeaseRequest request) {
        return engine.acquire(request);
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        return engine.acquireAsync(request);
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor) {
        return engine.acquireAsync(request, executor);
    }

    @Override
    public Instant time() {
        return engine.time();
    }

    @Override
    public Optional<LeaseInfo> find(String key) {
        return engine.find(key);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return engine.list(query);
    }

    @Override
    public List<LeaseStatus> held() {
        return engine.held();
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken) {
        return engine.forceRelease(key, fencingToken);
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent) {
        return engine.forceRelease(key, fencingToken, consent);
    }

    @Override
    public List<LeaseWait> waiting() {
        return engine.waiting();
    }

    @Override
    public LeaseManagerStatus status() {
        return engine.status();
    }

    @Override
    public void close() {
        engine.close();
    }

    /** Moves the time until the manager is closed, because whoever waits for the stage would not. */
    @Override
    public CompletionStage<Void> closeAsync() {
        CompletableFuture<Void> closed = engine.closeAsync().toCompletableFuture();
        time.get().move(VirtualTime.LONGEST_WAIT, closed::isDone);
        return closed;
    }
}
