package io.leasekit.spring.autoconfigure;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.LeaseSweep;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Sweeps the table of the default manager, which has no item TTL, at an interval. A lease with a cooldown makes it one sweep per
 * interval, however many nodes there are. It stops before the managers are closed.
 */
final class LeaseSweeper implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LeaseSweeper.class);
    private static final int COOLDOWN_PERCENT = 90; // an interval is no deadline, and no node waits for its next one

    private final boolean enabled;
    private final Supplier<LeaseManager> manager;
    private final Supplier<LeaseSweep> sweep;
    private final String prefix;
    private final @Nullable Duration interval;
    private volatile @Nullable ScheduledExecutorService thread;

    /** It sweeps nothing if leases are not {@code enabled} or there is no {@code interval}. */
    LeaseSweeper(
            boolean enabled,
            Supplier<LeaseManager> manager,
            Supplier<LeaseSweep> sweep,
            String prefix,
            @Nullable Duration interval) {
        this.enabled = enabled;
        this.manager = manager;
        this.sweep = sweep;
        this.prefix = prefix;
        this.interval = interval;
    }

    @Override
    public void start() {
        Duration interval = this.interval;
        if (!enabled
                || interval == null) { // no condition of the bean, because Spring AOT would evaluate it at build time
            return;
        }
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread fresh = new Thread(task, "lease-sweep");
            fresh.setDaemon(true);
            return fresh;
        });
        thread = started;
        long millis = interval.toMillis();
        var unused = started.scheduleWithFixedDelay(
                () -> sweep(interval), ThreadLocalRandom.current().nextLong(millis), millis, TimeUnit.MILLISECONDS);
    }

    /** Sweeps the table, unless another node has done so within the interval. */
    void sweep(Duration interval) {
        try {
            LeaseManager leases = manager.get();
            Duration cooldown = interval.multipliedBy(COOLDOWN_PERCENT).dividedBy(100);
            Optional<Lease> acquired =
                    leases.tryAcquire(LeaseRequest.of(prefix + "lease-sweep").cooldown(cooldown));
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    int removed = sweep.get().run(leases, prefix);
                    log.debug("Sweep under token {} has removed {} expired items", lease.fencingToken(), removed);
                }
            }
        } catch (Throwable e) { // the next sweep may succeed
            ScheduledExecutorService current = thread;
            if (current == null || !current.isShutdown()) {
                log.warn("Sweep of the lease table failed; expired items stay until the next one: {}", e.toString());
            }
        }
    }

    @Override
    public void stop() {
        ScheduledExecutorService current = thread;
        if (current != null) {
            current.shutdownNow();
        }
    }

    // a paused context keeps its managers
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        ScheduledExecutorService current = thread;
        return current != null && !current.isShutdown();
    }

    @Override
    public int getPhase() {
        return WaitsLifecycle.PHASE;
    }
}
