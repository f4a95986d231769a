package io.leasekit.engine;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseMonitor;
import io.leasekit.ReleaseMode;
import io.leasekit.internal.Internal;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSettings;
import io.leasekit.store.LeaseStore;
import io.leasekit.threads.EngineThreads;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Builds an engine; tests can also set the time, the random numbers and the executors. Not thread-safe. */
@Internal
public final class EngineBuilder implements LeaseManagerBuilder {

    private final LeaseStore store;
    private final List<Consumer<LeaseSettings>> settings = new ArrayList<>();
    private final List<LeaseListener> listeners = new ArrayList<>();
    private final List<LeaseMonitor> monitors = new ArrayList<>();
    private @Nullable Executor callbackExecutor;
    private @Nullable Executor senders;
    private @Nullable Executor losses;
    private @Nullable EngineTime time;
    private @Nullable RandomGenerator random;
    private Consumer<EngineBuilder> beforeOpening = builder -> {};
    private FeatureRules rules = new FeatureRules();

    public EngineBuilder(LeaseStore store) {
        this.store = store;
    }

    @Override
    public EngineBuilder owner(String value) {
        return set(settings -> settings.owner = value);
    }

    @Override
    public EngineBuilder application(String value) {
        return set(settings -> settings.application = value);
    }

    @Override
    public EngineBuilder keySharing(boolean value) {
        return set(settings -> settings.keySharing = value);
    }

    @Override
    public EngineBuilder ttl(Duration value) {
        return set(settings -> settings.ttl = value);
    }

    @Override
    public EngineBuilder heartbeatInterval(Duration value) {
        return set(settings -> settings.heartbeatInterval = value);
    }

    @Override
    public EngineBuilder storeTimeout(Duration value) {
        return set(settings -> settings.storeTimeout = value);
    }

    @Override
    public EngineBuilder closeTimeout(Duration value) {
        return set(settings -> settings.closeTimeout = value);
    }

    @Override
    public EngineBuilder releaseMode(ReleaseMode value) {
        return set(settings -> settings.releaseMode = value);
    }

    @Override
    public EngineBuilder retention(Duration value) {
        return set(settings -> settings.retention = value);
    }

    @Override
    public EngineBuilder onceRetention(Duration value) {
        return set(settings -> settings.onceRetention = value);
    }

    @Override
    public EngineBuilder runHistory(int value) {
        return set(settings -> settings.runHistory = value);
    }

    @Override
    public EngineBuilder maxWaitersPerKey(int value) {
        return set(settings -> settings.maxWaitersPerKey = value);
    }

    @Override
    public EngineBuilder releaseInBackground(boolean value) {
        return set(settings -> settings.releaseInBackground = value);
    }

    @Override
    public EngineBuilder pauses(boolean value) {
        return set(settings -> settings.pauses = value);
    }

    @Override
    public EngineBuilder listener(LeaseListener value) {
        listeners.add(value);
        return this;
    }

    @Override
    public EngineBuilder monitor(LeaseMonitor value) {
        monitors.add(value);
        return this;
    }

    @Override
    public EngineBuilder callbackExecutor(Executor value) {
        callbackExecutor = value;
        return this;
    }

    /** Sets the executor that calls the store. */
    public EngineBuilder sender(Executor value) {
        senders = value;
        return this;
    }

    /** Sets the executor for reports of lost leases; the executor must reject a task if no thread is free. */
    public EngineBuilder losses(Executor value) {
        losses = value;
        return this;
    }

    /** Sets the ttl that this process assumes for items that lack a usable ttl or an expiry. */
    public EngineBuilder observationTime(Duration value) {
        return set(settings -> settings.observationTime = value);
    }

    public EngineBuilder time(EngineTime value) {
        time = value;
        return this;
    }

    /** Sets the source of random numbers for jitter and for the ids of acquires (tenures). */
    public EngineBuilder random(RandomGenerator value) {
        random = value;
        return this;
    }

    /** Sets a callback that may change the settings of this builder each time before the manager opens. */
    public EngineBuilder beforeOpening(Consumer<EngineBuilder> value) {
        beforeOpening = value;
        return this;
    }

    EngineBuilder rules(FeatureRules value) {
        rules = value;
        return this;
    }

    @Override
    public LeaseManager build() {
        return new LeaseEngine(store, this::settings, rules, this::surroundings);
    }

    private EngineParts.Surroundings surroundings() {
        beforeOpening.accept(this);
        EngineThreads threads = new EngineThreads();
        RandomGenerator given = random;
        return new EngineParts.Surroundings(
                time != null ? time : threads.time(),
                given != null ? given : new SharedRandom(),
                given != null ? () -> new UUID(given.nextLong(), given.nextLong()) : EngineBuilder::newTenure,
                executors(threads),
                listeners,
                monitors,
                threads::close);
    }

    private EngineParts.Executors executors(EngineThreads threads) {
        return new EngineParts.Executors(
                senders != null ? senders : threads.senders(),
                callbackExecutor != null ? callbackExecutor : threads.events(),
                callbackExecutor != null ? callbackExecutor : threads.grants(),
                losses != null ? losses : threads.losses());
    }

    private EngineBuilder set(Consumer<LeaseSettings> setting) {
        settings.add(setting);
        return this;
    }

    private LeaseSettings settings() {
        LeaseSettings made = new LeaseSettings();
        settings.forEach(setting -> setting.accept(made));
        return made.checked();
    }

    /**
     * The id is unique, even if several processes are restored from one snapshot. BlockHound allows this method,
     * because reading random bytes from the operating system does not block.
     */
    private static UUID newTenure() {
        return UUID.randomUUID();
    }

    /** Uses the generator of the calling thread, so that threads do not contend for one generator. */
    private static final class SharedRandom implements RandomGenerator {
        @Override
        public long nextLong() {
            return ThreadLocalRandom.current().nextLong();
        }
    }
}
