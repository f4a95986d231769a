package io.leasekit.engine;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.log.LineLimit;
import io.leasekit.observe.Observer;
import io.leasekit.observe.Polling;
import io.leasekit.pause.PauseBoard;
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
 * The parts that all acquires and leases of one manager share. None of these parts depends on {@link Acquisition} or
 * {@link LeaseState}. An acquire or a lease has one reference to this object instead of one to each part, which saves
 * memory when there are thousands of them. Thread-safe.
 */
final class EngineParts {

    final LeaseSettings settings;
    final long storeTimeout;
    final LeaseRules rules;
    final LeaseRecords records;
    final EngineTime time;
    final RandomGenerator random;
    final Supplier<UUID> tenures;
    final RequestPath path;
    final BoundedClock clock;
    final Requests requests;
    final LineLimit lines;
    final LeaseNotifier notifier;
    final ResultDelivery delivery;
    final Sender sender;
    final Observer observer;
    final Polling polling;
    final SharedKeys sharedKeys;
    final PauseBoard pauses;
    final Gate gate;
    final Renewer renewer;
    final Releases releases;
    final Inspection inspection;

    /**
     * The executors that a manager uses. {@code senders} runs requests to the store; the other executors run code of
     * users.
     */
    record Executors(Executor senders, Executor events, Executor grants, Executor losses) {}

    /**
     * The clock, random numbers, executors, listeners and monitors that a manager uses. {@code freeResources} runs when
     * the manager has closed.
     */
    record Surroundings(
            EngineTime time,
            RandomGenerator random,
            Supplier<UUID> tenures,
            Executors executors,
            List<LeaseListener> listeners,
            List<LeaseMonitor> monitors,
            Runnable freeResources) {}

    /**
     * Creates the parts of one manager.
     *
     * @param leases returns how many leases are held and how many acquires wait, for log lines
     * @param onJump runs on any thread when a clock has jumped
     * @param onReleased runs whenever a lease is released
     */
    EngineParts(
            LeaseStore table,
            LeaseSettings settings,
            LeaseRules rules,
            Surroundings around,
            Supplier<TableState.Leases> leases,
            Runnable onJump,
            Runnable onReleased) {
        this.settings = settings;
        this.storeTimeout = LeaseSpec.nanos(settings.storeTimeout);
        this.rules = rules;
        this.records = new LeaseRecords(rules, settings);
        this.time = around.time;
        this.random = around.random;
        this.tenures = around.tenures;
        String owner = settings.owner();
        String name = table.info().name();
        Losses losses = new Losses(around.executors.losses, time);
        TableState state = new TableState(name, time, leases);
        lines = new LineLimit(time, state::isOut);
        Events events = new Events(around.listeners, around.executors.events, losses);
        notifier = new LeaseNotifier(owner, events, losses, around.monitors, state, lines, time.wallMillis());
        delivery = new ResultDelivery(around.executors.grants, losses, time, storeTimeout);
        sender = new Sender(around.executors.senders, time);
        path = RequestPath.of(table, rules, time, sender, random, notifier, onJump, this::saw, state);
        clock = path.clock();
        requests = path.requests();
        observer = new Observer(rules, clock, LeaseSpec.nanos(settings.observationTime));
        polling = new Polling(owner, observer, random);
        sharedKeys = new SharedKeys(settings, name);
        renewer = new Renewer(this);
        releases = new Releases(this, onReleased);
        inspection = new Inspection(name, clock, requests, observer, releases, time);
        pauses = new PauseBoard(settings.pauses, rules, requests, clock, time, lines);
        gate = pauses.with(path.sync());
    }

    private void saw(LeaseItem item, Requests.Reply reply) {
        observer.saw(item, reply);
    }

    Tenure newTenure() {
        return new Tenure(tenures.get());
    }

    /** Returns the error for an acquire of these keys that could not send any request in time. */
    LeaseStoreException unsent(List<String> keys) {
        return unsent(keys, "No request for the lease could be sent in time");
    }

    /**
     * Returns the error for an acquire whose request could not be sent. If other requests fail, the acquire may have
     * waited for them, so the error contains their last failure. {@code text}: the part of the message that says what
     * could not be done.
     */
    LeaseStoreException unsent(List<String> keys, String text) {
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
