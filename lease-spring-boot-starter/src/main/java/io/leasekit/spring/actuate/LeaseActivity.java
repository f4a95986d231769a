package io.leasekit.spring.actuate;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseEvent.AlreadyRan;
import io.leasekit.LeaseEvent.AtRisk;
import io.leasekit.LeaseEvent.ForceReleased;
import io.leasekit.LeaseEvent.Lost;
import io.leasekit.LeaseEvent.Ran;
import io.leasekit.LeaseEvent.Released;
import io.leasekit.LeaseEvent.Unavailable;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.CapacityConsumed;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseRun;
import io.leasekit.spring.actuate.LeaseHistory.Entry;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Activity of one manager since its creation, in this process: requests, consumed capacity, losses, last runs and the
 * events of keys. The memory that it takes is bounded. Thread-safe.
 */
final class LeaseActivity implements LeaseMonitor, LeaseListener {

    static final int LOSSES = 50;
    static final int RUNS = 200;

    private final Clock clock;
    private final Instant since;
    private final LeaseHistory history = new LeaseHistory();
    private final ConcurrentMap<Operation, ConcurrentMap<RequestOutcome, LongAdder>> requests =
            new ConcurrentHashMap<>();
    private final ConcurrentMap<Operation, DoubleAdder> capacity = new ConcurrentHashMap<>();
    private final ConcurrentMap<LeaseLossReason, LongAdder> lossesByReason = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Loss> losses = new ArrayDeque<>(); // guarded by lock; oldest first
    private final Map<String, LeaseRun> runs = new LinkedHashMap<>(16, 0.75f, true); // guarded by lock

    /** A lost lease. */
    record Loss(Instant at, Lost event) {}

    LeaseActivity(Clock clock) {
        this.clock = clock;
        this.since = clock.instant();
    }

    @Override
    public void measured(LeaseMeasurement measurement) {
        if (measurement instanceof RequestEnded request) {
            requests.computeIfAbsent(request.operation(), added -> new ConcurrentHashMap<>())
                    .computeIfAbsent(request.outcome(), added -> new LongAdder())
                    .increment();
        } else if (measurement instanceof CapacityConsumed consumed) {
            capacity.computeIfAbsent(consumed.operation(), added -> new DoubleAdder())
                    .add(consumed.units());
        }
    }

    @Override
    public void onEvent(LeaseEvent event) {
        if (event instanceof LeaseEvent.Acquired acquired) {
            add(event, "ACQUIRED", acquired.owner(), acquired.fencingToken(), null);
        } else if (event instanceof Released released) {
            add(event, "RELEASED", released.owner(), released.fencingToken(), null);
        } else if (event instanceof AtRisk risk) {
            add(event, "AT_RISK", risk.owner(), risk.fencingToken(), null);
        } else if (event instanceof Lost lost) {
            lost(lost);
        } else if (event instanceof ForceReleased forced) {
            add(event, "FORCE_RELEASED", forced.by(), forced.fencingToken(), null);
        } else if (event instanceof Ran ran) {
            ran(ran);
        } else if (event instanceof AlreadyRan done) {
            remember(done.key(), done.shown().lastRun());
            seen(done.shown());
        } else if (event instanceof Unavailable unavailable && unavailable.holder() != null) {
            seen(unavailable.holder());
        }
    }

    private void add(LeaseEvent event, String name, String owner, long token, @Nullable String detail) {
        history.add(event.key(), new Entry(clock.instant(), name, owner, token, detail));
    }

    private void lost(Lost lost) {
        add(lost, "LOST", lost.owner(), lost.fencingToken(), lost.reason().name());
        lossesByReason.computeIfAbsent(lost.reason(), added -> new LongAdder()).increment();
        remember(new Loss(clock.instant(), lost));
    }

    private void remember(Loss loss) {
        lock.lock();
        try {
            losses.addLast(loss);
            if (losses.size() > LOSSES) {
                losses.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    private void ran(Ran ran) {
        add(ran, "RAN", ran.owner(), ran.fencingToken(), ran.outcome().name());
        Instant begun = clock.instant().minus(ran.duration());
        remember(ran.key(), new LeaseRun(ran.run(), ran.owner(), begun, ran.outcome(), ran.duration()));
    }

    private void remember(String key, @Nullable LeaseRun run) {
        if (run == null) {
            return;
        }
        lock.lock();
        try {
            runs.put(key, run);
            if (runs.size() > RUNS) {
                runs.remove(runs.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Adds the holder that the table shows, if it shows one, to the events of its key. */
    void seen(LeaseInfo lease) {
        if (!lease.held() || lease.isKept()) {
            return; // the owner is the last one
        }
        history.addIfNew(lease.key(), new Entry(clock.instant(), "SEEN", lease.owner(), lease.fencingToken(), null));
    }

    /** Adds the holders of keys that had events before, so a scan does not displace the keys of this node. */
    void seenIfKnown(List<LeaseInfo> leases) {
        leases.stream().filter(lease -> history.knows(lease.key())).forEach(this::seen);
    }

    Instant since() {
        return since;
    }

    List<Entry> history(String key) {
        return history.of(key);
    }

    List<Loss> losses() {
        lock.lock();
        try {
            return List.copyOf(losses);
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    LeaseRun lastRun(String key) {
        lock.lock();
        try {
            return runs.get(key);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of requests by operation and outcome. */
    Map<String, Map<String, Long>> requests() {
        Map<String, Map<String, Long>> counts = new TreeMap<>();
        requests.forEach((operation, outcomes) -> {
            Map<String, Long> byOutcome = new TreeMap<>();
            outcomes.forEach((outcome, count) -> byOutcome.put(outcome.name(), count.sum()));
            counts.put(operation.name(), byOutcome);
        });
        return counts;
    }

    /** Returns the consumed capacity units by operation. */
    Map<String, Double> capacity() {
        Map<String, Double> units = new TreeMap<>();
        capacity.forEach((operation, sum) -> units.put(operation.name(), sum.sum()));
        return units;
    }

    Map<String, Long> lossesByReason() {
        Map<String, Long> counts = new TreeMap<>();
        lossesByReason.forEach((reason, count) -> counts.put(reason.name(), count.sum()));
        return counts;
    }
}
