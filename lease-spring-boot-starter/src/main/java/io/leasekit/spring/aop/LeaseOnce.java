package io.leasekit.spring.aop;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.spring.key.LeaseKeyTemplate;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which run a call is for, and what becomes of it.
 *
 * @param method the method's qualified name
 * @param schedule when the method fires
 * @param bySlot whether its runs are the slots of the schedule
 * @param run makes the name of a call's run; {@code null}: the annotation names none
 * @param order how the names of {@code run} follow each other
 * @param retry whether a run that failed is not done
 */
record LeaseOnce(
        String method,
        LeaseSchedule schedule,
        boolean bySlot,
        @Nullable LeaseKeyTemplate run,
        OnceOrder order,
        boolean retry) {

    /** Returns whether the method runs once for each of its runs. */
    boolean isOnce() {
        return bySlot || run != null;
    }

    /** Returns the request with the run that this call is for; as it is if it is for none. Asks for the time at need. */
    LeaseRequest applyTo(
            LeaseRequest request, LeaseManager manager, @Nullable Object target, @Nullable Object[] arguments) {
        if (run != null) {
            return named(request, run.resolve(target, arguments));
        }
        Instant slot = bySlot && schedule.isFiring() ? schedule.slotNearest(manager.time()) : null;
        // whole seconds, so of one width and in the order of time
        return slot == null ? request : request.once(slot.toString(), OnceOrder.GROWING);
    }

    private LeaseRequest named(LeaseRequest request, String name) {
        try {
            return request.once(name, order);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("The run of '" + method + "' cannot be used: " + e.getMessage(), e);
        }
    }

    /** Returns whether how a call under this request ended is recorded: a run's end is, and that of a job without runs. */
    boolean isRecorded(LeaseRequest request) {
        return request.once() != null || (schedule.isScheduled() && !isOnce());
    }

    /** Returns what a call's end means; {@code cutOff}: its application ends, from which it may have failed. */
    LeaseRunOutcome outcome(@Nullable Throwable failure, boolean cutOff) {
        if (failure == null) {
            return LeaseRunOutcome.SUCCEEDED;
        }
        return retry || (cutOff && isOnce()) ? LeaseRunOutcome.RETRY : LeaseRunOutcome.FAILED;
    }
}
