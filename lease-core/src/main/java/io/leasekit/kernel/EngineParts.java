package io.leasekit.kernel;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.internal.Internal;
import io.leasekit.log.LineLimit;
import io.leasekit.observe.Observer;
import io.leasekit.observe.Polling;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Gate;
import io.leasekit.requests.RequestPath;
import io.leasekit.requests.Requests;
import io.leasekit.requests.TableState;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import io.leasekit.threads.Losses;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The parts that all acquires and leases of one manager share. Each acquire or lease has one reference to this object,
 * instead of one to each part, to save memory. Thread-safe.
 */
@Internal
public final class EngineParts {

    public final LeaseSettings settings;
    public final long storeTimeout;
    public final LeaseRules rules;
    public final LeaseRecords records;
    public final EngineTime time;
    public final RandomGenerator random;
    public final Supplier<UUID> tenures;
    public final RequestPath path;
    public final BoundedClock clock;
    public final Requests requests;
    public final LineLimit lines;
    public final LeaseReports reports;
    public final ResultDelivery delivery;
    public final Sender sender;
    public final Observer observer;
    public final Polling polling;
    final Renewer renewer;
    public final LiveLeases live;
    public final Releases releases;
    public final Shutdown shutdown;
    final Gate gate;

    /** The executors of a manager; all executors except {@code senders} run code of users. */
    public record Executors(Executor senders, Executor events, Executor grants, Executor losses) {}

    /**
     * The clock, random numbers, executors, listeners and monitors that a manager uses. {@code freeResources} runs when
     * the manager has closed.
     */
    public record Surroundings(
            EngineTime time,
            RandomGenerator random,
            Supplier<UUID> tenures,
            Executors executors,
            List<LeaseListener> listeners,
            List<LeaseMonitor> monitors,
            Runnable freeResources) {}

    /** Creates the objects with which features take part in acquires, renewals and releases. */
    public interface Features {

        /** The kernel calls this method before the other methods of this interface. */
        LeaseReports reports(Losses losses, TableState table, LineLimit lines);

        LeaseRecords records(EngineParts parts);

        Gate gate(EngineParts parts);
    }

    public EngineParts(
            LeaseStore table, LeaseSettings settings, LeaseRules rules, Surroundings around, Features features) {
        this.settings = settings;
        this.storeTimeout = LeaseSpec.nanos(settings.storeTimeout);
        this.rules = rules;
        this.time = around.time;
        this.random = around.random;
        this.tenures = around.tenures;
        String owner = settings.owner();
        String name = table.info().name();
        Losses losses = new Losses(around.executors.losses, time);
        TableState state = new TableState(name, time, this::leases);
        lines = new LineLimit(time, state::isOut);
        reports = features.reports(losses, state, lines);
        delivery = new ResultDelivery(around.executors.grants, losses, time, storeTimeout);
        sender = new Sender(around.executors.senders, time);
        path = RequestPath.of(table, rules, time, sender, random, reports, this::onJump, this::saw, state);
        clock = path.clock();
        requests = path.requests();
        observer = new Observer(rules, clock, LeaseSpec.nanos(settings.observationTime));
        polling = new Polling(owner, observer, random);
        renewer = new Renewer(this);
        live = new LiveLeases(owner, this::onEnded);
        releases = new Releases(this, this::onEnded);
        shutdown = new Shutdown(owner, time, live, releases);
        records = features.records(this);
        gate = features.gate(this);
    }

    private TableState.Leases leases() {
        return live.count(clock.now());
    }

    /** Any thread may notice a clock jump, so the renewals start on the timer thread. */
    private void onJump() {
        time.schedule(0, () -> path.limiter().together(live::renewAll));
    }

    private void onEnded() {
        shutdown.goOn();
    }

    private void saw(LeaseItem item, Requests.Reply reply) {
        observer.saw(item, reply);
    }

    public Tenure newTenure() {
        return new Tenure(tenures.get());
    }

    public LeaseStoreException unsent(List<String> keys) {
        return unsent(keys, "No request for the lease could be sent in time");
    }

    /**
     * The error contains the last failure of other requests, because the acquire may have waited for them.
     * {@code text}: the part of the message that says what could not be done.
     */
    public LeaseStoreException unsent(List<String> keys, String text) {
        Throwable failure = path.state().failure();
        if (failure == null) {
            return requests.error(
                    keys,
                    new IllegalStateException(
                            text + ", because requests are slow or this process sends more than the table answers"));
        }
        if (!path.state().isThrottled()) {
            return requests.error(keys, failure);
        }
        LeaseThrottling reason = failure instanceof LeaseStoreException known ? known.throttling() : null;
        String overloaded = "The table is overloaded. " + text + ": " + Text.why(failure);
        return requests.error(keys, new LeaseStoreException(overloaded, failure, reason));
    }
}
