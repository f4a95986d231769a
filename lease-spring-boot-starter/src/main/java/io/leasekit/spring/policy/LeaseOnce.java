package io.leasekit.spring.policy;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.internal.EngineLease;
import io.leasekit.internal.EngineTable;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.spring.key.LeaseKeyTemplate;
import io.leasekit.spring.schedule.CatchUp;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.LeaseSchedule;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines the run of a call, and the outcome of a call that has ended. A run belongs to a slot (a time of the cron
 * expression), or has a name from the annotation.
 *
 * @param bySlot whether a firing (call by the scheduler) executes the run of its slot
 * @param run the template of the run's name; {@code null} if the annotation does not name a run
 * @param catchUp the maximum age of a missed slot for which the method fires after startup; {@code null} to ignore
 *     missed slots
 */
@Internal
public record LeaseOnce(
        String method,
        LeaseSchedule schedule,
        boolean bySlot,
        @Nullable LeaseKeyTemplate run,
        OnceOrder order,
        boolean retry,
        @Nullable Duration catchUp) {

    private static final Logger log = LoggerFactory.getLogger(LeaseOnce.class);
    private static final String NOT_OURS = "The manager is not of Leasekit";

    public boolean isOnce() {
        return hasSlots() || run != null;
    }

    public boolean hasSlots() {
        return bySlot && (schedule.hasSlots() || schedule.isSeveralWithSlots());
    }

    /** Returns {@code null} if the scheduler does not make this call. */
    public @Nullable Firing firing() {
        return schedule.firing();
    }

    /** Adds the name of the call's run, if any, to the request; may read DynamoDB's time with a network request. */
    public LeaseRequest applyTo(
            LeaseRequest request,
            LeaseManager manager,
            @Nullable Object target,
            @Nullable Object[] arguments,
            @Nullable Firing firing) {
        if (firing != null) {
            warnIfLate(firing);
        }
        if (run != null) {
            return named(request, run.resolve(target, arguments));
        }
        return bySlot && firing != null ? ofSlot(request, firing, () -> time(manager, request.waitFor())) : request;
    }

    /** {@code now} reads DynamoDB's time. */
    public LeaseRequest ofSlot(LeaseRequest request, Firing firing, Supplier<Instant> now) {
        Instant slot = schedule.slot(firing, now);
        // slots are whole seconds, so their texts have the same length and sort by time
        return slot == null ? request : request.once(slot.toString(), OnceOrder.GROWING);
    }

    public boolean hasSlot(Firing firing) {
        return bySlot && schedule.hasSlots(firing);
    }

    private static Instant time(LeaseManager manager, Duration patience) {
        return manager instanceof EngineTable table ? table.time(patience) : manager.time();
    }

    /** Dependent stages of the future must not block the thread that completes the future. */
    public static CompletableFuture<Instant> awaitTime(LeaseManager manager) {
        return manager instanceof EngineTable table
                ? table.awaitTime()
                : CompletableFuture.failedFuture(new IllegalStateException(NOT_OURS));
    }

    void catchUp(LeaseManager manager, String key) {
        if (catchUp != null) {
            schedule.catchUp(new CatchUp(method, catchUp, () -> lastRun(manager, key)));
        }
    }

    private static CompletableFuture<CatchUp.LastRun> lastRun(LeaseManager manager, String key) {
        if (!(manager instanceof EngineTable table)) {
            return CompletableFuture.failedFuture(new IllegalStateException(NOT_OURS));
        }
        return table.awaitLastRun(key)
                .thenCompose(run -> table.awaitTime().thenApply(now -> new CatchUp.LastRun(now, run.orElse(null))));
    }

    public static String table(LeaseManager manager) {
        return manager instanceof EngineTable table ? table.table() : "of the leases";
    }

    private void warnIfLate(Firing firing) {
        Duration late = schedule.tooLate(firing);
        if (late != null) {
            Quietly.run(() -> log.warn(
                    "Firing of '{}' began {} late: its scheduler had no free thread, or the process was suspended. Set"
                            + " 'spring.task.scheduling.pool.size' to the number of jobs that may run at a time, 1 by default",
                    method,
                    Text.duration(late)));
        }
    }

    /** Warns if the last recorded run is for a time at which this node's cron expression does not fire. */
    public void warnOfOtherExpression(LeaseRequest request, @Nullable String recorded) {
        if (run != null || request.once() == null || recorded == null) {
            return;
        }
        Instant slot = time(recorded);
        String expressions = slot == null ? null : schedule.otherThan(slot);
        if (expressions != null && schedule.isFirstDisagreement(request.key())) {
            log.warn(
                    "The last run of lease {} was for {}, which is not a time of {}, by which '{}' is scheduled on this node."
                            + " Another node has another expression or zone, or it was changed. Use the same on all nodes",
                    Text.quote(request.key()),
                    slot,
                    expressions,
                    method);
        }
    }

    /**
     * Warns if a firing is skipped because the run of a later slot has been recorded. With the same schedule on all
     * nodes, this happens only if a firing waits until the next slot.
     */
    public void warnOfLaterRun(LeaseRequest request, LeaseInfo shown) {
        String slot = run == null ? request.once() : null;
        String recorded = shown.lastRun() == null ? null : shown.lastRun().name();
        if (slot != null
                && recorded != null
                && recorded.compareTo(slot) > 0
                && schedule.isFirstSkip(request.key(), recorded)) {
            log.warn(
                    "Firing of '{}' for {} is skipped: the last run of lease {} was for {}, which is later. Another node has"
                            + " another expression or zone, it was changed, or the key also has runs with other names. Use the"
                            + " same expression on all nodes, and the key for this job only",
                    method,
                    slot,
                    Text.quote(request.key()),
                    Text.quote(recorded));
        }
    }

    private static @Nullable Instant time(String recorded) {
        try {
            return Instant.parse(recorded);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Returns the last run that was recorded before this lease was acquired; {@code null} if no run is known. */
    public static @Nullable String runBefore(Lease lease) {
        return lease instanceof EngineLease known ? known.runBefore() : null;
    }

    /** A nested call for a named run may join only a lease of the same run. */
    public void refuseOtherRun(Lease held, @Nullable Object target, @Nullable Object[] arguments) {
        if (run == null) {
            return;
        }
        String name = run.resolve(target, arguments);
        String runOfHeld = held.runName().orElse(null);
        if (!name.equals(runOfHeld)) {
            throw new IllegalStateException("Method '" + method + "' was called for run " + Text.quote(name)
                    + " within a call that holds " + Text.quoteAll(held.keys())
                    + (runOfHeld == null ? " without a run" : " for run " + Text.quote(runOfHeld))
                    + ", so run " + Text.quote(name) + " would be neither checked nor recorded");
        }
    }

    private LeaseRequest named(LeaseRequest request, String name) {
        try {
            return request.once(name, order);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("The run name of '" + method + "' is invalid: " + e.getMessage(), e);
        }
    }

    /** A resumable call is recorded even without a run, because the record of its success removes the progress. */
    public boolean isRecorded(LeaseRequest request) {
        return request.once() != null || request.isResumable() || (schedule.isScheduled() && !isOnce());
    }

    /** {@code cutOff} is true if the caller or the shutdown stopped the work, which may have caused the failure. */
    public LeaseRunOutcome outcome(LeaseRequest request, @Nullable Throwable failure, boolean cutOff) {
        if (failure == null) {
            return LeaseRunOutcome.SUCCEEDED;
        }
        // If the application calls the method itself, the request may name no run.
        boolean isRun = request.once() != null || isOnce();
        return retry || (cutOff && isRun) ? LeaseRunOutcome.RETRY : LeaseRunOutcome.FAILED;
    }
}
