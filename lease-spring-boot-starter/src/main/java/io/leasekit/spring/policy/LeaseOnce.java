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
 * @param method the qualified name of the method
 * @param schedule the schedule of the method
 * @param bySlot whether each firing (call by the scheduler) with a slot belongs to the run of the slot; a firing
 *     without a slot belongs to no run
 * @param run the template of the run's name; {@code null} if the annotation does not name a run
 * @param order whether the run names grow over time, or come in any order
 * @param retry whether a failed run is executed again
 * @param catchUp the maximum age of a missed slot for which the method runs after startup; {@code null} if the method
 *     does not run for missed slots
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

    /** Returns whether the annotation assigns calls of the method to runs, each of which is executed once. */
    public boolean isOnce() {
        return hasSlots() || run != null;
    }

    /** Returns whether the annotation assigns firings to slots. */
    public boolean hasSlots() {
        return bySlot && (schedule.hasSlots() || schedule.isSeveralWithSlots());
    }

    /** Returns the firing to which this call belongs; {@code null} if the scheduler does not make this call. */
    public @Nullable Firing firing() {
        return schedule.firing();
    }

    /**
     * Returns the request, with the name of the run to which this call belongs. If the call belongs to no run, returns
     * the request unchanged. This method may send a request that reads DynamoDB's time.
     *
     * @param firing the firing to which this call belongs; {@code null} if the scheduler does not make this call
     */
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

    /**
     * Returns the request, with the slot of the firing as the name of the run. If the firing has no slot, returns the
     * request unchanged. {@code now} reads DynamoDB's time.
     */
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

    /**
     * Returns a future that completes when DynamoDB's time is known. Dependent stages of the future must not block the
     * thread that completes it.
     */
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

    /** Returns the name of the manager's table, for messages. */
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

    /**
     * Warns if the last recorded run is for a time at which this node's cron expression does not fire. Either another
     * node has a different expression, or the expression has changed.
     *
     * @param request the lease request of a call
     * @param recorded the name of the last recorded run; {@code null} if no run is recorded
     */
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
     * Warns if a firing is skipped because the run of a later slot has been recorded. The method might not have run for
     * the slot of the skipped firing. If all nodes have the same cron expression, only a firing that still waits for
     * its lease when the next slot begins can find a later run.
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
            return null; // the run has a name, not a slot
        }
    }

    /**
     * Returns the name of the last run that was recorded before this lease was acquired; {@code null} if no run is
     * known.
     */
    public static @Nullable String runBefore(Lease lease) {
        return lease instanceof EngineLease known ? known.runBefore() : null;
    }

    /**
     * Checks that a nested call may join the lease of an outer call. A nested call for a named run may join only a
     * lease of the same run.
     *
     * @throws IllegalStateException if the lease belongs to another run or to no run
     */
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

    /**
     * Returns whether the outcome of a call is recorded in the table. The table records the outcomes of calls that
     * belong to a run, of calls of scheduled methods without runs, and of resumable calls. The success of a resumable
     * call removes its progress.
     */
    public boolean isRecorded(LeaseRequest request) {
        return request.once() != null || request.isResumable() || (schedule.isScheduled() && !isOnce());
    }

    /**
     * Returns the outcome of a call with this request. {@code cutOff} is true if the caller or the shutdown stopped the
     * work, which may have caused the failure.
     */
    public LeaseRunOutcome outcome(LeaseRequest request, @Nullable Throwable failure, boolean cutOff) {
        if (failure == null) {
            return LeaseRunOutcome.SUCCEEDED;
        }
        boolean isRun = request.once() != null || isOnce(); // the application's own tasks may have slots, too
        return retry || (cutOff && isRun) ? LeaseRunOutcome.RETRY : LeaseRunOutcome.FAILED;
    }
}
