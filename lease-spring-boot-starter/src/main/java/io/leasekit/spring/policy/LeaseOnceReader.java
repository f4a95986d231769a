package io.leasekit.spring.policy;

import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.key.LeaseKeyTemplate;
import io.leasekit.spring.schedule.JobSchedulers;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Reads {@code once} and the attributes that depend on {@code once}, and rejects invalid values. */
final class LeaseOnceReader {

    private final AnnotatedMethod annotated;

    LeaseOnceReader(AnnotatedMethod annotated) {
        this.annotated = annotated;
    }

    /** {@code terms} is a lease request that already contains the method's durations, permits and {@code resumable}. */
    LeaseOnce read(LeaseRequest terms) {
        LeaseSchedule schedule = schedule();
        LeaseKeyTemplate run = run();
        boolean auto = run == null && terms.permits() == 0 && DistributedLease.AUTO.equals(annotated.text("once"));
        OnceOrder order = annotated.choice("onceOrder", OnceOrder.class);
        OnFailure onFailure = annotated.choice("onFailure", OnFailure.class);
        checkFailure(onFailure, run != null || (auto && schedule.isScheduled()));
        if (run != null) {
            checkNamed(run, terms, order);
        }
        return new LeaseOnce(
                annotated.qualifiedName(),
                schedule,
                auto && schedule.isScheduled(),
                run,
                order,
                onFailure == OnFailure.RETRY || (onFailure == OnFailure.AUTO && run != null),
                catchUp());
    }

    private @Nullable Duration catchUp() {
        Duration value = annotated.texts().duration("catchUp");
        if (value != null && value.isNegative()) {
            throw annotated.invalid(
                    "catchUp is " + annotated.text("catchUp") + ", expected zero or more", "Correct 'catchUp'.");
        }
        return value == null || value.isZero() ? null : value;
    }

    private LeaseSchedule schedule() {
        ConfigurableBeanFactory beans = annotated.beanFactory();
        return LeaseSchedule.of(
                annotated.method(), annotated.targetClass(), beans, name -> JobSchedulers.clock(beans, name));
    }

    private void checkFailure(OnFailure onFailure, boolean mayHaveRuns) {
        if (!mayHaveRuns && onFailure != OnFailure.AUTO) {
            throw annotated.invalid(
                    "onFailure is set, but no call belongs to a run",
                    "Remove 'onFailure', or name the run with 'once'.");
        }
    }

    private void checkNamed(LeaseKeyTemplate run, LeaseRequest terms, OnceOrder order) {
        if (!terms.holdAtLeast().isZero() || !terms.cooldown().isZero()) {
            throw annotated.invalid(
                    "once is set together with holdAtLeast or cooldown, of which a run that is done needs neither",
                    "Remove 'holdAtLeast' and 'cooldown'. They are not needed, because a run that is done does not run again.");
        }
        if (terms.permits() > 0) {
            throw annotated.invalid(
                    "once is set together with permits, but only one call executes a run",
                    "Remove 'once' or 'permits'.");
        }
        if (terms.isResumable() && order == OnceOrder.ANY) {
            throw annotated.invalid(
                    annotated.resumableBy()
                            + ", but the names of its runs may have any order, so each run has an item of its own, which has"
                            + " no progress",
                    "Set 'onceOrder' to GROWING, and let the names grow.");
        }
        String constant = run.constant();
        if (constant != null) {
            try {
                var unused = terms.once(constant, order);
            } catch (IllegalArgumentException e) {
                throw annotated.invalid(String.valueOf(e.getMessage()), "Correct 'once'.", e);
            }
        }
    }

    private @Nullable LeaseKeyTemplate run() {
        String text = annotated.written("once");
        // placeholders are resolved first, so that a property may contain the keyword AUTO or NEVER
        if (isKeyword(text) || (!text.contains("#{") && isKeyword(annotated.text("once")))) {
            return null;
        }
        return annotated.read("once", text, "Correct 'once'.", () -> annotated.template(text, "run"));
    }

    private static boolean isKeyword(String text) {
        return text.equals(DistributedLease.AUTO) || text.equals(DistributedLease.NEVER);
    }
}
