package io.leasekit.spring.actuate;

import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.AcquireEnded;
import io.leasekit.LeaseMeasurement.CapacityConsumed;
import io.leasekit.LeaseMeasurement.LeaseBegan;
import io.leasekit.LeaseMeasurement.LeaseEnded;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RenewalEnded;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseMeasurement.RequestThrottled;
import io.leasekit.LeaseMeasurement.RunEnded;
import io.leasekit.LeaseMeasurement.RunShown;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseThrottling;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one manager, as listed in {@link LeaseMeters}. The starter adds {@code LeaseMetrics} to each manager
 * that the starter creates. For a manager that the application creates, call
 * {@code builder.monitor(new LeaseMetrics(registry, "name"))}. Thread-safe.
 */
public final class LeaseMetrics implements LeaseMonitor {

    private final MeterRegistry registry;
    private final Tags manager;
    private final LeaseNames names = new LeaseNames();
    private final Set<Operation> operations = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<Held, LongTaskTimer.Sample> held = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, RecentMinimum> remaining = new ConcurrentHashMap<>();
    // The time of the last success by the name of the lease, in epoch milliseconds.
    private final ConcurrentMap<String, AtomicLong> successes = new ConcurrentHashMap<>();

    private record Held(String key, long fencingToken) {}

    /** Creates the meters of a manager. Each meter is registered at its first use. */
    public LeaseMetrics(MeterRegistry registry, String manager) {
        this.registry = registry;
        this.manager = Tags.of("manager", manager);
    }

    @Override
    public void started(LeaseManager leases) {
        count(leases, LeaseMeters.HELD, LeaseManagerStatus::held, "Leases held now");
        count(leases, LeaseMeters.WAITING, LeaseManagerStatus::waiting, "Acquire calls that wait now");
        count(leases, LeaseMeters.OVERDUE, LeaseManagerStatus::overdue, "Held leases that are at risk");
        count(leases, LeaseMeters.PASSIVE, LeaseManagerStatus::passive, "Held leases that no heartbeat renews");
        time(
                leases,
                LeaseMeters.CLOCK_OFFSET,
                LeaseManagerStatus::clockOffset,
                "Lead of the local wall clock over DynamoDB's time");
        time(
                leases,
                LeaseMeters.CLOCK_UNCERTAINTY,
                LeaseManagerStatus::clockUncertainty,
                "Largest possible error of the estimate of DynamoDB's time");
    }

    private void count(LeaseManager leases, String name, ToIntFunction<LeaseManagerStatus> value, String description) {
        removeStale(name, manager);
        Gauge.builder(name, leases, manager -> value.applyAsInt(manager.status()))
                .description(description)
                .tags(manager)
                .register(registry);
    }

    private void time(
            LeaseManager leases,
            String name,
            Function<LeaseManagerStatus, @Nullable Duration> value,
            String description) {
        removeStale(name, manager);
        TimeGauge.builder(name, leases, TimeUnit.MILLISECONDS, manager -> millis(value.apply(manager.status())))
                .description(description)
                .tags(manager)
                .register(registry);
    }

    /** Removes a gauge that a closed manager may have left in the registry. */
    private void removeStale(String name, Tags tags) {
        registry.find(name).tags(tags).gauges().forEach(registry::remove);
    }

    private static double millis(@Nullable Duration duration) {
        return duration == null ? Double.NaN : duration.toMillis();
    }

    @Override
    public void measured(LeaseMeasurement measurement) {
        if (measurement instanceof RequestEnded request) {
            requestEnded(request);
        } else if (measurement instanceof AcquireEnded acquire) {
            acquireEnded(acquire);
        } else if (measurement instanceof RenewalEnded renewal) {
            renewalEnded(renewal);
        } else if (measurement instanceof LeaseBegan lease) {
            began(lease);
        } else if (measurement instanceof LeaseEnded lease) {
            ended(lease);
        } else if (measurement instanceof RunEnded run) {
            runEnded(run);
        } else if (measurement instanceof RunShown shown) {
            runShown(shown);
        } else if (measurement instanceof CapacityConsumed consumed) {
            capacityConsumed(consumed);
        } else if (measurement instanceof RequestThrottled throttled) {
            throttled(operatedTags(throttled.operation()), throttled.reason()).increment();
        }
    }

    private void acquireEnded(AcquireEnded acquire) {
        Tags tags = named(acquire.name()).and("outcome", tag(acquire.outcome()));
        timer(LeaseMeters.ACQUIRE, tags, "Acquire calls, waiting included").record(acquire.took());
        if (!acquire.waited().isZero()) {
            timer(
                            LeaseMeters.WAIT,
                            tags,
                            "Time that acquire calls waited because another owner held the lease or came first")
                    .record(acquire.waited());
        }
    }

    private void began(LeaseBegan lease) {
        LongTaskTimer active = LongTaskTimer.builder(LeaseMeters.HELD_ACTIVE)
                .description("Leases held now, and for how long")
                .tags(named(lease.name()))
                .register(registry);
        held.put(new Held(lease.key(), lease.fencingToken()), active.start());
    }

    private void ended(LeaseEnded lease) {
        LongTaskTimer.Sample active = held.remove(new Held(lease.key(), lease.fencingToken()));
        if (active != null) {
            active.stop();
            timer(LeaseMeters.HELD_TIME, named(lease.name()), "Time that leases were held")
                    .record(lease.heldFor());
        }
        if (lease.lost() != null) {
            lost(named(lease.name()), lease.lost()).increment();
        }
    }

    private void runEnded(RunEnded run) {
        runs(named(run.name()), run.outcome()).record(run.took());
        long now = registry.config().clock().wallTime();
        // until the first success, the gauge shows the time since the beginning of this run
        AtomicLong success = successes.computeIfAbsent(
                names.bounded(run.name()),
                name -> newSuccess(name, now - run.took().toMillis()));
        if (run.outcome() == LeaseRunOutcome.SUCCEEDED) {
            success.accumulateAndGet(now, Math::max);
        }
    }

    private void runShown(RunShown shown) {
        Instant begun = shown.run().begunAt();
        Duration took = shown.run().duration();
        if (shown.run().outcome() == LeaseRunOutcome.SUCCEEDED && begun != null && took != null) {
            long end = begun.plus(took).toEpochMilli();
            successes
                    .computeIfAbsent(names.bounded(shown.name()), name -> newSuccess(name, end))
                    .accumulateAndGet(end, Math::max);
        }
    }

    private AtomicLong newSuccess(String name, long millis) {
        Tags tags = manager.and("name", name);
        removeStale(LeaseMeters.RUN_SUCCESS_AGE, tags);
        AtomicLong success = new AtomicLong(millis);
        TimeGauge.builder(
                        LeaseMeters.RUN_SUCCESS_AGE,
                        success,
                        TimeUnit.MILLISECONDS,
                        last -> Math.max(0, registry.config().clock().wallTime() - last.get()))
                .description("Time since the last known success of a run")
                .tags(tags)
                .register(registry);
        return success;
    }

    private Timer runs(Tags tags, LeaseRunOutcome outcome) {
        return timer(LeaseMeters.RUN, tags.and("outcome", tag(outcome)), "Completed runs");
    }

    private void renewalEnded(RenewalEnded renewal) {
        Tags tags = named(renewal.name());
        timer(LeaseMeters.RENEW, tags.and("outcome", tag(renewal.outcome())), "Renewals")
                .record(renewal.took());
        timer(LeaseMeters.RENEW_LAG, tags, "Delay between the due time of a renewal and its sending")
                .record(renewal.lag());
        remaining
                .computeIfAbsent(names.bounded(renewal.name()), name -> newMinimum(tags))
                .record((double) renewal.remaining().toNanos());
    }

    private RecentMinimum newMinimum(Tags tags) {
        removeStale(LeaseMeters.RENEW_REMAINING_MIN, tags);
        RecentMinimum minimum = new RecentMinimum(registry.config().clock());
        TimeGauge.builder(LeaseMeters.RENEW_REMAINING_MIN, minimum, TimeUnit.NANOSECONDS, RecentMinimum::value)
                .description("Smallest validity left when a renewal was answered")
                .tags(tags)
                .register(registry);
        return minimum;
    }

    private void requestEnded(RequestEnded request) {
        Tags tags = operated(request.operation());
        timer(LeaseMeters.STORE_REQUESTS, tags.and("outcome", tag(request.outcome())), "Requests to DynamoDB")
                .record(request.took());
        if (request.outcome().isFailure()) {
            errors(tags, request.outcome()).increment();
        }
    }

    /**
     * Registers error counters at zero when an operation first occurs, so that monitoring sees the first error as an
     * increase.
     */
    private Tags operated(Operation operation) {
        Tags tags = operatedTags(operation);
        if (operations.add(operation)) {
            Stream.of(RequestOutcome.values())
                    .filter(RequestOutcome::isFailure)
                    .forEach(failure -> errors(tags, failure));
        }
        return tags;
    }

    private Counter errors(Tags tags, RequestOutcome failure) {
        return counter(LeaseMeters.STORE_ERRORS, tags.and("kind", tag(failure)), "Failed requests to DynamoDB", null);
    }

    private Tags operatedTags(Operation operation) {
        return manager.and("operation", tag(operation));
    }

    private Counter throttled(Tags tags, LeaseThrottling reason) {
        return counter(LeaseMeters.STORE_THROTTLED, tags.and("reason", tag(reason)), "Throttled requests", null);
    }

    private void capacityConsumed(CapacityConsumed consumed) {
        Tags tags = operatedTags(consumed.operation());
        counter(LeaseMeters.STORE_CAPACITY, tags, "Capacity units that answered requests consumed", "units")
                .increment(consumed.units());
    }

    /**
     * Registers the meters of losses and runs at zero, so that monitoring sees the first loss or failure as an
     * increase.
     */
    private Tags named(@Nullable String name) {
        String bounded = names.bounded(name);
        Tags tags = manager.and("name", bounded);
        if (names.isNew(bounded)) {
            Stream.of(LeaseLossReason.values()).forEach(reason -> lost(tags, reason));
            Stream.of(LeaseRunOutcome.values()).forEach(outcome -> runs(tags, outcome));
        }
        return tags;
    }

    private Counter lost(Tags tags, LeaseLossReason reason) {
        return counter(LeaseMeters.LOST, tags.and("reason", tag(reason)), "Lost leases", null);
    }

    private Timer timer(String name, Tags tags, String description) {
        return Timer.builder(name).description(description).tags(tags).register(registry);
    }

    private Counter counter(String name, Tags tags, String description, @Nullable String unit) {
        return Counter.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
