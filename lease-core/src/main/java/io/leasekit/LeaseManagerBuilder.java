package io.leasekit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link LeaseManager}. Every setting has a default; they are checked together in {@link #build()}. Not
 * thread-safe.
 */
public final class LeaseManagerBuilder {

    private static final int CALLBACK_THREADS = 4;
    private static final Duration ONCE_RETENTION = Duration.ofDays(400);
    private static final long CALLBACK_IDLE_SECONDS = 10;

    private final LeaseStore store;
    private final List<LeaseListener> listeners = new ArrayList<>();
    private final List<LeaseMonitor> monitors = new ArrayList<>();
    private @Nullable String owner;
    private Duration ttl = Duration.ofSeconds(60);
    private @Nullable Duration heartbeatInterval;
    private double atRiskFraction = 1.0 / 3;
    private Duration storeTimeout = Duration.ofSeconds(6);
    private Duration closeTimeout = Duration.ofSeconds(30);
    private ReleaseMode releaseMode = ReleaseMode.RETAIN;
    private Duration retention = Duration.ofDays(7);
    private @Nullable Duration onceRetention;
    private Duration observationTime = Duration.ofMinutes(5);
    private int maxWaitersPerKey = 1_000;
    private @Nullable Executor callbackExecutor;

    private LeaseRules rules = new LeaseRules();
    private @Nullable EngineTime time;
    private Supplier<UUID> tenures = UUID::randomUUID;
    private @Nullable RandomGenerator random;

    LeaseManagerBuilder(LeaseStore store) {
        this.store = store;
    }

    /** Sets the owner's name, as others see it in the table; by default {@code java@host/pid-4hex}. */
    public LeaseManagerBuilder owner(String value) {
        owner = value;
        return this;
    }

    /** Sets how long one grant or renewal lasts; by default 60 s. After a crash the key is free about so much later. */
    public LeaseManagerBuilder ttl(Duration value) {
        ttl = value;
        return this;
    }

    /** Sets the interval between renewals; by default a third of the ttl. */
    public LeaseManagerBuilder heartbeatInterval(Duration value) {
        heartbeatInterval = value;
        return this;
    }

    /** Sets at which part of the ttl left a lease counts as at risk; by default a third. */
    public LeaseManagerBuilder atRiskFraction(double value) {
        atRiskFraction = value;
        return this;
    }

    /**
     * Sets for how long an acquire goes on trying while the store does not do what is asked, where the request does not wait
     * longer anyway; by default 6 s.
     */
    public LeaseManagerBuilder storeTimeout(Duration value) {
        storeTimeout = value;
        return this;
    }

    /** Sets how long {@link LeaseManager#close()} waits for leases that are still held; by default 30 s. */
    public LeaseManagerBuilder closeTimeout(Duration value) {
        closeTimeout = value;
        return this;
    }

    /** Sets what a release does with the item; by default it is kept for the retention. */
    public LeaseManagerBuilder releaseMode(ReleaseMode value) {
        releaseMode = value;
        return this;
    }

    /** Sets how long a released item is kept, at least 15 minutes; by default 7 days. */
    public LeaseManagerBuilder retention(Duration value) {
        retention = value;
        return this;
    }

    /**
     * Sets how long a released item is kept that tells of a run which is done ({@link LeaseRequest#once}), at least the
     * retention; by default 400 days, or the retention if that is longer.
     */
    public LeaseManagerBuilder onceRetention(Duration value) {
        onceRetention = value;
        return this;
    }

    /**
     * Sets how long a lease must be seen unchanged before its holder counts as dead, where the item tells no ttl or no usable
     * end; by default 5 minutes.
     */
    public LeaseManagerBuilder observationTime(Duration value) {
        observationTime = value;
        return this;
    }

    /**
     * Sets how many callers of this process may wait for one key at a time, beside the one that asks the store; by default
     * 1,000. One more fails with a {@link LeaseException}.
     */
    public LeaseManagerBuilder maxWaitersPerKey(int value) {
        maxWaitersPerKey = value;
        return this;
    }

    /** Adds a listener; all are told of an event, in the order in which they were added, before the key's next one. */
    public LeaseManagerBuilder listener(LeaseListener value) {
        listeners.add(value);
        return this;
    }

    /** Adds a monitor. */
    public LeaseManagerBuilder monitor(LeaseMonitor value) {
        monitors.add(value);
        return this;
    }

    /**
     * Sets what runs listeners and what depends on the manager's stages; by default four daemon threads
     * {@code lease-callback-n}, made when needed. It must run what it is given on a thread that may be held up, and a task that
     * it refuses is dropped. The executor stays the caller's to close.
     */
    public LeaseManagerBuilder callbackExecutor(Executor value) {
        callbackExecutor = value;
        return this;
    }

    LeaseManagerBuilder rules(LeaseRules value) {
        rules = value;
        return this;
    }

    LeaseManagerBuilder time(EngineTime value) {
        time = value;
        return this;
    }

    LeaseManagerBuilder random(RandomGenerator value, Supplier<UUID> newTenures) {
        random = value;
        tenures = newTenures;
        return this;
    }

    /**
     * Builds the manager. It starts no thread and sends no request before its first use.
     *
     * @throws IllegalArgumentException if a setting is out of its range or does not fit another one
     */
    public LeaseManager build() {
        LeaseSettings settings = new LeaseSettings(
                owner == null ? OwnerNames.of("java") : owner,
                ttl,
                heartbeatInterval == null ? ttl.dividedBy(3) : heartbeatInterval,
                atRiskFraction,
                storeTimeout,
                closeTimeout,
                releaseMode,
                retention,
                onceRetention(),
                observationTime,
                maxWaitersPerKey,
                listeners);
        List<Runnable> closers = new ArrayList<>();
        EngineTime engineTime = time != null ? time : systemTime(closers);
        Executor callbacks = callbackExecutor != null ? callbackExecutor : callbackThreads(closers);
        Measurements measurements = new Measurements(monitors);
        LeaseManager manager = new LeaseManager(new LeaseEngine(new LeaseEngine.Parts(
                store,
                settings,
                engineTime,
                rules,
                random != null ? random : new SharedRandom(),
                tenures,
                new Events(settings.listeners(), callbacks),
                measurements,
                () -> closers.forEach(Runnable::run))));
        measurements.started(manager);
        return manager;
    }

    private Duration onceRetention() {
        if (onceRetention != null) {
            return onceRetention;
        }
        return retention.compareTo(ONCE_RETENTION) > 0 ? retention : ONCE_RETENTION;
    }

    private static EngineTime systemTime(List<Runnable> closers) {
        SystemTime system = new SystemTime();
        closers.add(system::close);
        return system;
    }

    private static Executor callbackThreads(List<Runnable> closers) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                CALLBACK_THREADS,
                CALLBACK_THREADS,
                CALLBACK_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "lease-callback-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        closers.add(threads::shutdown);
        return threads;
    }

    /** Each thread's own generator: none is waited for. */
    private static final class SharedRandom implements RandomGenerator {
        @Override
        public long nextLong() {
            return ThreadLocalRandom.current().nextLong();
        }
    }
}
