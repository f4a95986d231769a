package io.leasekit.engine;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.AcquireOutcome;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RenewalOutcome;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.internal.Quietly;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.LeaseReports;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.log.LineLimit;
import io.leasekit.requests.Requests;
import io.leasekit.requests.TableState;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import io.leasekit.threads.Losses;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Reports events of leases to the log and to listeners, and measurements to monitors. Exceptions of monitors, loggers
 * and executors do not affect leases. Thread-safe.
 */
final class LeaseNotifier implements LeaseReports {

    private static final Logger log = LoggerFactory.getLogger(LeaseNotifier.class);

    private final String owner;
    private final Events events;
    private final Losses losses;
    private final List<LeaseMonitor> monitors;
    private final TableState table;
    private final LineLimit lines;
    private final long began; // the wall-clock time of the manager's start, in milliseconds
    private final Set<LeaseMonitor> failed = ConcurrentHashMap.newKeySet();

    LeaseNotifier(
            String owner,
            Events events,
            Losses losses,
            List<LeaseMonitor> monitors,
            TableState table,
            LineLimit lines,
            long began) {
        this.owner = owner;
        this.events = events;
        this.losses = losses;
        this.monitors = List.copyOf(monitors);
        this.table = table;
        this.lines = lines;
        this.began = began;
    }

    @Override
    public boolean isMeasured() {
        return !monitors.isEmpty();
    }

    void started(LeaseManager manager) {
        tell(monitor -> monitor.started(manager));
    }

    // ---- acquires

    @Override
    public void acquired(LeaseSpec spec, long token) {
        Quietly.run(
                () -> log.atDebug().addArgument(spec::name).addArgument(token).log("Lease {} was acquired, token {}"));
        publish(spec, key -> new LeaseEvent.Acquired(key, owner, token));
        measured(() -> new LeaseMeasurement.LeaseBegan(spec.item(), spec.meterName(), token));
    }

    @Override
    public void unavailable(LeaseSpec spec, AcquireCall.Unavailable refusal) {
        Quietly.run(() -> log.atDebug().addArgument(() -> refusal.text(spec)).log("{}"));
        LeaseInfo holder = refusal.holder();
        // The holder of a permit shows the key of its slot, not the key of the lease.
        String key = holder != null && spec.keys().contains(holder.key()) ? holder.key() : spec.key();
        events.publish(new LeaseEvent.Unavailable(key, holder));
        if (holder != null) {
            shown(spec, holder);
        }
    }

    @Override
    public void alreadyRan(LeaseSpec spec, String run, LeaseInfo shown) {
        Quietly.run(() -> log.debug("Run {} of lease {} is already done", Text.quote(run), spec.name()));
        events.publish(new LeaseEvent.AlreadyRan(spec.key(), run, shown));
        shown(spec, shown);
    }

    private void shown(LeaseSpec spec, LeaseInfo item) {
        LeaseRun run = item.lastRun();
        if (run != null) {
            measured(() -> new LeaseMeasurement.RunShown(item.key(), spec.meterName(), run));
        }
    }

    @Override
    public void acquireEnded(LeaseSpec spec, AcquireCall.Result result, long tookNanos, long waitedNanos) {
        measured(() -> new LeaseMeasurement.AcquireEnded(
                spec.key(),
                spec.meterName(),
                outcome(result),
                Duration.ofNanos(tookNanos),
                Duration.ofNanos(waitedNanos)));
    }

    private static AcquireOutcome outcome(AcquireCall.Result result) {
        if (result instanceof AcquireCall.Failed failed) {
            return outcome(failed.error());
        }
        if (result instanceof AcquireCall.AlreadyRan) {
            return AcquireOutcome.ALREADY_RAN;
        }
        return result instanceof AcquireCall.Granted ? AcquireOutcome.GRANTED : AcquireOutcome.UNAVAILABLE;
    }

    private static AcquireOutcome outcome(LeaseException error) {
        boolean givenUp = error instanceof LeaseInterruptedException
                || (error.getCause() == null && !(error instanceof LeaseStoreException));
        return givenUp ? AcquireOutcome.GIVEN_UP : AcquireOutcome.FAILED;
    }

    /**
     * If the reply arrives too late for a grant, the acquire is repeated, so the granted token can exceed the logged
     * token.
     */
    @Override
    public void tookOver(LeaseSpec spec, List<LeaseItem> items, @Nullable String application, long token) {
        LeaseItem from = items.get(0);
        // This process itself held and lost the lease, and has already reported the loss.
        boolean own = owner.equals(from.owner()) && from.acquiredAtMillis() != null && from.acquiredAtMillis() >= began;
        if (own) {
            return;
        }
        String of = application == null ? "" : " of application " + Text.quote(application);
        String since = from.acquiredAtMillis() == null ? "" : ", held since " + instant(from.acquiredAtMillis());
        lines.inform(() -> line(log.atInfo(), spec, token)
                .log(
                        "Lease {} (token {}) was taken over from {}{}{}, token {}, which has neither renewed nor released"
                                + " it in time",
                        Text.quoteAll(items.stream().map(LeaseItem::key).toList()),
                        token,
                        Tenure.tenureOf(String.valueOf(from.version())) == null
                                ? "a client of another kind"
                                : "owner " + Text.quote(from.owner()),
                        of,
                        since,
                        from.token()));
    }

    private static Instant instant(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS);
    }

    // ---- leases

    @Override
    public void renewalEnded(LeaseSpec spec, Requests.Reply reply, long lagNanos, long remainingNanos) {
        measured(() -> new LeaseMeasurement.RenewalEnded(
                spec.key(),
                spec.meterName(),
                outcome(reply.outcome()),
                Duration.ofNanos(reply.at() - reply.sent()),
                Duration.ofNanos(Math.max(0, lagNanos)),
                Duration.ofNanos(remainingNanos)));
    }

    private static RenewalOutcome outcome(StoreReply reply) {
        if (reply instanceof StoreReply.Failed) {
            return RenewalOutcome.FAILED;
        }
        return reply instanceof StoreReply.Applied ? RenewalOutcome.APPLIED : RenewalOutcome.REFUSED;
    }

    @Override
    public void atRisk(LeaseSpec spec, long token, Duration left, @Nullable Throwable failure) {
        String why = failure == null ? "" : ": " + Text.why(failure);
        String text = "Lease {} is at risk: {} left and no later renewal has succeeded{}";
        lines.warnUnlessOut(
                () -> line(log.atWarn(), spec, token).log(text, spec.name(), Text.duration(left), why),
                () -> log.debug(text, spec.name(), Text.duration(left), why));
        publish(spec, key -> new LeaseEvent.AtRisk(key, owner, token, left));
    }

    @Override
    public void longHeld(LeaseSpec spec, long token, Duration heldFor) {
        lines.warn(() -> line(log.atWarn(), spec, token)
                .log(
                        "Lease {} has been held for {}; set 'holdAtMost' to limit this time",
                        spec.name(),
                        Text.duration(heldFor)));
    }

    @Override
    public void lost(
            LeaseSpec spec,
            long token,
            LeaseLossReason reason,
            String how,
            Duration heldFor,
            CompletableFuture<LeaseLossReason> lost) {
        table.lostLease();
        lines.lost(() -> line(log.atWarn(), spec, token)
                .addKeyValue("reason", reason)
                .addKeyValue("heldFor", heldFor)
                .log("Lease {} was lost: {}, held for {}{}", spec.name(), reason, Text.duration(heldFor), how));
        publish(spec, key -> new LeaseEvent.Lost(key, owner, token, reason, heldFor));
        ended(spec, token, heldFor, reason);
        losses.run(() -> lost.complete(reason));
    }

    @Override
    public void released(LeaseSpec spec, long token, Duration heldFor) {
        Quietly.run(
                () -> log.atDebug().addArgument(spec::name).addArgument(token).log("Lease {} is released, token {}"));
        publish(spec, key -> new LeaseEvent.Released(key, owner, token, heldFor));
        ended(spec, token, heldFor, null);
    }

    private void ended(LeaseSpec spec, long token, Duration heldFor, @Nullable LeaseLossReason lost) {
        measured(() -> new LeaseMeasurement.LeaseEnded(spec.item(), spec.meterName(), token, heldFor, lost));
    }

    @Override
    public void ran(LeaseSpec spec, long token, LeaseRunOutcome outcome, Duration took) {
        if (outcome == LeaseRunOutcome.STOPPED) {
            lines.inform(() -> line(log.atInfo(), spec, token)
                    .log(
                            "Work under lease {} was asked to stop after {} and is not done: the next owner goes on",
                            spec.name(),
                            Text.duration(took)));
        }
        publish(spec, key -> new LeaseEvent.Ran(key, owner, token, spec.once(), outcome, took));
        measured(() -> new LeaseMeasurement.RunEnded(spec.key(), spec.meterName(), outcome, took));
    }

    void forceReleased(String key, long token, boolean immediately) {
        Quietly.run(() -> logForceRelease(key, token, immediately));
        events.publish(new LeaseEvent.ForceReleased(key, owner, token, immediately));
    }

    void runAgain(String key, long token, String run, String by) {
        Quietly.run(() -> log.atWarn()
                .addKeyValue("lease", Text.plain(key))
                .addKeyValue("token", token)
                .log(
                        "Run {} of lease {}, done with token {}, may be run again: {} asked for it",
                        Text.quote(run),
                        Text.quote(key),
                        token,
                        Text.quote(by)));
        events.publish(new LeaseEvent.RunAgain(key, by, token, run));
    }

    private static void logForceRelease(String key, long token, boolean immediately) {
        LoggingEventBuilder line = immediately ? log.atWarn() : log.atInfo();
        line.addKeyValue("lease", Text.plain(key))
                .addKeyValue("token", token)
                .log(
                        immediately
                                ? "Lease {} with token {} was freed at once by force: its holder may still run, so two may"
                                        + " run now"
                                : "Lease {} with token {} was released by force: its renewals are refused, and it is free"
                                        + " when it would have expired",
                        Text.quote(key),
                        token);
    }

    private void publish(LeaseSpec spec, Function<String, LeaseEvent> event) {
        spec.keys().forEach(key -> events.publish(event.apply(key)));
    }

    private LoggingEventBuilder line(LoggingEventBuilder line, LeaseSpec spec, long token) {
        return line.addKeyValue("lease", Text.plain(String.join(", ", spec.keys())))
                .addKeyValue("owner", Text.plain(owner))
                .addKeyValue("token", token);
    }

    // ---- requests

    /** {@code capacity}: {@code null} if the store did not report the consumed capacity units. */
    @Override
    public void requestEnded(Operation operation, RequestOutcome outcome, long tookNanos, @Nullable Double capacity) {
        if (capacity != null) {
            measured(() -> new LeaseMeasurement.CapacityConsumed(operation, capacity));
        }
        measured(() -> new LeaseMeasurement.RequestEnded(operation, outcome, Duration.ofNanos(tookNanos)));
    }

    @Override
    public void requestThrottled(Operation operation, LeaseThrottling reason) {
        measured(() -> new LeaseMeasurement.RequestThrottled(operation, reason));
    }

    // ---- monitors

    private void measured(Supplier<LeaseMeasurement> made) {
        if (isMeasured()) {
            LeaseMeasurement measurement = made.get();
            tell(monitor -> monitor.measured(measurement));
        }
    }

    private void tell(Consumer<LeaseMonitor> what) {
        for (LeaseMonitor monitor : monitors) {
            try {
                what.accept(monitor);
            } catch (Throwable e) {
                warnOnce(monitor, e);
            }
        }
    }

    private void warnOnce(LeaseMonitor monitor, Throwable error) {
        if (failed.add(monitor)) {
            Quietly.run(() -> log.warn(
                    "Lease monitor {} failed; leases are not affected, and its further failures are not logged",
                    monitor.getClass().getName(),
                    error));
        }
    }
}
