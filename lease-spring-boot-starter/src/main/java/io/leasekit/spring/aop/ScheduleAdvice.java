package io.leasekit.spring.aop;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is said at start-up of scheduled methods whose attributes do not do what they look like. */
final class ScheduleAdvice {

    private static final Logger log = LoggerFactory.getLogger(ScheduleAdvice.class);

    /** A hold may last 2 s longer than asked, and a firing may come early (protocol 6). */
    private static final Duration MARGIN = Duration.ofSeconds(3);

    private ScheduleAdvice() {}

    static void give(LeasePolicy policy) {
        LeaseSchedule schedule = policy.once().schedule();
        if (!schedule.fires()) {
            return;
        }
        LeaseRequest terms = policy.terms().apply(LeaseRequest.of(policy.method()));
        boolean holds = isSet(terms.holdAtLeast()) || isSet(terms.cooldown());
        if (!policy.once().isOnce() && !holds) {
            log.info(
                    "Method '{}' is scheduled: every node runs it in turn, one at a time. {}",
                    policy.method(),
                    cure(schedule));
        }
        warnIfTooLong(policy, "holdAtLeast", terms.holdAtLeast());
        warnIfTooLong(policy, "cooldown", terms.cooldown());
    }

    private static boolean isSet(Duration duration) {
        return !duration.isZero();
    }

    private static String cure(LeaseSchedule schedule) {
        if (schedule.isFixedDelay()) {
            return "A 'cooldown' of 3 s less than its delay makes the delay hold across the nodes";
        }
        return "A 'holdAtLeast' of 3 s less than its period makes one node run it each time; a single cron expression whose"
                + " times lie at least 10 s apart needs neither";
    }

    private static void warnIfTooLong(LeasePolicy policy, String attribute, Duration hold) {
        Duration period = policy.once().schedule().period();
        if (isSet(hold) && period != null && hold.compareTo(period.minus(MARGIN)) > 0) {
            log.warn(
                    "Method '{}' is scheduled every {} and its {} is {}: it may keep out the next firing. Make it at least {}"
                            + " shorter than the period",
                    policy.method(),
                    period,
                    attribute,
                    hold,
                    MARGIN);
        }
    }
}
