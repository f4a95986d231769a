package io.leasekit;

import io.leasekit.LeaseMeasurement.AcquireOutcome;
import io.leasekit.LeaseMeasurement.RenewalOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the monitors, at once; without one it makes nothing. What a monitor throws changes nothing. Thread-safe. */
final class Measurements implements LeaseMonitor {

    private static final Logger log = LoggerFactory.getLogger(Measurements.class);

    private final List<LeaseMonitor> monitors;
    private final Set<LeaseMonitor> failed = ConcurrentHashMap.newKeySet();

    Measurements(List<LeaseMonitor> monitors) {
        this.monitors = List.copyOf(monitors);
    }

    boolean isWanted() {
        return !monitors.isEmpty();
    }

    @Override
    public void started(LeaseManager manager) {
        tell(monitor -> monitor.started(manager));
    }

    @Override
    public void measured(LeaseMeasurement measurement) {
        tell(monitor -> monitor.measured(measurement));
    }

    void measured(Supplier<LeaseMeasurement> measurement) {
        if (isWanted()) {
            measured(measurement.get());
        }
    }

    void acquireEnded(LeaseTerms terms, AcquireResult result, long tookNanos, long waitedNanos) {
        measured(() -> new LeaseMeasurement.AcquireEnded(
                terms.key(),
                terms.meterName(),
                outcome(result),
                Duration.ofNanos(tookNanos),
                Duration.ofNanos(waitedNanos)));
    }

    private static AcquireOutcome outcome(AcquireResult result) {
        if (result instanceof AcquireResult.Failed failed) {
            return outcome(failed.error());
        }
        if (result instanceof AcquireResult.AlreadyRan) {
            return AcquireOutcome.ALREADY_RAN;
        }
        return result instanceof AcquireResult.Granted ? AcquireOutcome.GRANTED : AcquireOutcome.UNAVAILABLE;
    }

    /** What an acquire is given up with has no cause; what it failed by has one, or comes from the store. */
    private static AcquireOutcome outcome(LeaseException error) {
        boolean givenUp = error instanceof LeaseInterruptedException
                || (error.getCause() == null && !(error instanceof LeaseStoreException));
        return givenUp ? AcquireOutcome.GIVEN_UP : AcquireOutcome.FAILED;
    }

    void began(LeaseTerms terms, long token) {
        measured(() -> new LeaseMeasurement.LeaseBegan(terms.key(), terms.meterName(), token));
    }

    void ended(LeaseTerms terms, long token, Duration heldFor, @Nullable LeaseLossReason lost) {
        measured(() -> new LeaseMeasurement.LeaseEnded(terms.key(), terms.meterName(), token, heldFor, lost));
    }

    void ran(LeaseTerms terms, LeaseRunOutcome outcome, Duration took) {
        measured(() -> new LeaseMeasurement.RunEnded(terms.key(), terms.meterName(), outcome, took));
    }

    void renewalEnded(LeaseTerms terms, Reply reply, long lagNanos, Validity before) {
        measured(() -> new LeaseMeasurement.RenewalEnded(
                terms.key(),
                terms.meterName(),
                outcome(reply.outcome()),
                Duration.ofNanos(reply.at() - reply.sent()),
                Duration.ofNanos(Math.max(0, lagNanos)),
                Duration.ofNanos(before.remaining(reply.at()))));
    }

    private static RenewalOutcome outcome(StoreReply reply) {
        if (reply instanceof StoreReply.Failed) {
            return RenewalOutcome.FAILED;
        }
        return reply instanceof StoreReply.Applied ? RenewalOutcome.APPLIED : RenewalOutcome.REFUSED;
    }

    private void tell(Consumer<LeaseMonitor> what) {
        for (LeaseMonitor monitor : monitors) {
            try {
                what.accept(monitor);
            } catch (RuntimeException | Error e) {
                warnOnce(monitor, e);
            }
        }
    }

    private void warnOnce(LeaseMonitor monitor, Throwable error) {
        if (failed.add(monitor)) {
            log.warn(
                    "Lease monitor {} failed; leases go on, further failures of it are not logged",
                    monitor.getClass().getName(),
                    error);
        }
    }
}
