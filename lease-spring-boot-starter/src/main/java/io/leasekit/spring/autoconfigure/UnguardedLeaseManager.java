package io.leasekit.spring.autoconfigure;

import io.leasekit.ElectionSettings;
import io.leasekit.ForcedRelease;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseLocks;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeasePage;
import io.leasekit.LeasePauses;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import io.leasekit.LeaseWatch;
import io.leasekit.leader.Elections;
import io.leasekit.limits.Checks;
import io.leasekit.log.LineLimit;
import io.leasekit.threads.EngineThreads;
import io.leasekit.time.SystemTime;
import io.leasekit.watch.Looks;
import io.leasekit.watch.WatchedKeys;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The manager of an application whose leases are switched off. It grants every acquire at once, two for one key as well,
 * and knows no table. Its tokens grow. Thread-safe.
 */
final class UnguardedLeaseManager implements LeaseManager {

    private static final Duration TTL = Duration.ofSeconds(60);

    private final Clock clock;
    private final AtomicLong lastToken = new AtomicLong();
    private final LeaseLocks locks = new LeaseLocks(this);
    private final SystemTime time = new SystemTime();
    private final Executor callbacks = new EngineThreads().events(); // ends its idle threads itself
    private final Random random = new Random();
    private volatile CompletableFuture<Void> stopRequest = new CompletableFuture<>();
    private volatile Elections elections = elections();
    private volatile WatchedKeys watched = newWatches();

    UnguardedLeaseManager(Clock clock) {
        this.clock = clock;
    }

    /** Each key is free at all times, so one look is enough. */
    private WatchedKeys newWatches() {
        Looks.Seen free = new Looks.Seen(null, true, Checks.MAX_DURATION.toNanos());
        Looks looks = key -> () -> CompletableFuture.completedFuture(free);
        return new WatchedKeys(looks, (shown, seen) -> true, time, Checks.MAX_DURATION, random, callbacks);
    }

    private Elections elections() {
        return new Elections(
                this,
                time,
                TTL,
                0,
                random,
                new LineLimit(time, () -> false),
                left -> left.thenRunAsync(() -> {}, callbacks).minimalCompletionStage());
    }

    @Override
    public Lease acquire(LeaseRequest request) {
        Duration ttl = request.ttl() == null ? TTL : request.ttl();
        Instant now = clock.instant();
        // as large as real tokens, so that a value stored under one of those does not refuse this one
        long token = lastToken.updateAndGet(last -> Math.max(last + 1, now.toEpochMilli()));
        return new UnguardedLease(request, ttl, now, token, stopRequest);
    }

    @Override
    public Optional<Lease> tryAcquire(LeaseRequest request) {
        return Optional.of(acquire(request));
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor) {
        return CompletableFuture.completedFuture(tryAcquire(request));
    }

    @Override
    public LeaseLock lock(LeaseRequest request) {
        return locks.of(request);
    }

    @Override
    public LeaderElection elect(LeaseRequest request, ElectionSettings settings, LeaderElection.Work work) {
        return elections.elect(request, settings, work);
    }

    @Override
    public Instant time() {
        return clock.instant();
    }

    @Override
    public Optional<LeaseInfo> find(String key) {
        Checks.key(key);
        return Optional.empty();
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return new LeasePage(List.of(), null);
    }

    @Override
    public List<LeaseStatus> held() {
        return List.of();
    }

    @Override
    public List<LeaseWait> waiting() {
        return List.of();
    }

    @Override
    public LeaseWatch watch(String key, LeaseWatch.Listener listener) {
        return watched.watch(key, listener);
    }

    @Override
    public boolean awaitFree(String key, Duration timeout) {
        Checks.leaseKey(key);
        Checks.notNegative(timeout, "timeout", key);
        return true; // at all times, so nothing needs to be looked at
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken) {
        Checks.key(key);
        Checks.token(fencingToken, key);
        return new ForcedRelease.NotHeld(null);
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent) {
        return forceRelease(key, fencingToken);
    }

    @Override
    public LeasePauses pauses() {
        return new NoPauses();
    }

    @Override
    public LeaseManagerStatus status() {
        @Nullable Duration unknown = null;
        return new LeaseManagerStatus(UnguardedLease.OWNER, TTL, 0, 0, 0, unknown, unknown, unknown, unknown, unknown);
    }

    @Override
    public void requestStop() {
        elections.close();
        stopRequest.complete(null);
    }

    @Override
    public void close() {
        requestStop();
        watched.close();
        // a context that starts again uses the same manager
        watched = newWatches();
        elections = elections();
        stopRequest = new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        close();
        return CompletableFuture.completedStage(null);
    }
}
