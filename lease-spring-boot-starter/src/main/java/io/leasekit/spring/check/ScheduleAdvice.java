package io.leasekit.spring.check;

import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;
import io.leasekit.spring.key.LeaseKeyTemplate;
import io.leasekit.spring.policy.LeaseKey;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.schedule.LeaseSchedule;
import io.leasekit.text.Text;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a line at startup if the attributes of a scheduled method might not have the expected effect. */
@Internal
public final class ScheduleAdvice {

    private static final Logger log = LoggerFactory.getLogger(ScheduleAdvice.class);

    /** A lease may stay held for up to 2 s longer than requested, and a firing may come early (protocol 6.5). */
    private static final Duration MARGIN = Duration.ofSeconds(3);

    private ScheduleAdvice() {}

    public static void give(LeasePolicy policy, Method method) {
        LeaseRequest terms = policy.terms().apply(LeaseRequest.of(policy.method()));
        if (terms.permits() > 0) {
            return; // with permits, several nodes are meant to run the method
        }
        boolean holds = isSet(terms.holdAtLeast()) || isSet(terms.cooldown());
        if (LeaseSchedule.firesOnceAfterStart(method) && policy.once().run() == null && !holds) {
            log.info(
                    "Method '{}' is scheduled once after the start of each node and runs on every node, never on two at the same time."
                            + " To run it on one node only, name its run with 'once', for example after a version. If it has"
                            + " other triggers, first move this one to a method of its own",
                    policy.method());
        }
        if (policy.once().schedule().fires()) {
            give(policy, terms, holds);
        }
    }

    private static void give(LeasePolicy policy, LeaseRequest terms, boolean holds) {
        LeaseSchedule schedule = policy.once().schedule();
        if (policy.once().hasSlots() && schedule.isSeveralWithSlots()) {
            log.warn(
                    "Method '{}' has several cron expressions, which share the runs of one lease: if two fire at the same time,"
                            + " only one runs. Move them to methods with their own keys, or set 'once' to"
                            + " DistributedLease.NEVER",
                    policy.method());
        }
        if (!policy.once().isOnce() && !holds) {
            log.info(
                    schedule.isSeveral()
                            ? "Method '{}' has several triggers. Its firings without slots run on every node, never on two at the same time. {}"
                            : "Method '{}' is scheduled and runs on every node, never on two at the same time. {}",
                    policy.method(),
                    fix(schedule));
        }
        warnIfTooLong(policy, "holdAtLeast", terms.holdAtLeast());
        warnIfTooLong(policy, "cooldown", terms.cooldown());
    }

    /** Methods that share a key share one run for each time, so only one of the methods runs. */
    public static void warnOfSharedSlots(Collection<LeasePolicy> policies) {
        Map<List<String>, Set<String>> methods = new LinkedHashMap<>();
        for (LeasePolicy policy : policies) {
            if (policy.once().bySlot() && policy.fixed() != null) {
                methods.computeIfAbsent(List.of(policy.manager(), policy.fixed().key()), key -> new TreeSet<>())
                        .add(policy.method());
            }
        }
        methods.forEach((key, sharing) -> {
            if (sharing.size() > 1) {
                log.warn(
                        "Methods '{}' have cron expressions and share lease key {}, which has one run for each time:"
                                + " if two fire at the same time, only one runs. Give each method its own key, or"
                                + " set 'once' to DistributedLease.NEVER",
                        String.join("', '", sharing),
                        Text.quote(key.get(1)));
            }
        });
    }

    static void warnOfSharingBeans(LeasePolicy policy, Collection<String> beans) {
        if (beans.size() < 2 || policy.keys().stream().anyMatch(LeaseKey::differsBetweenBeans)) {
            return;
        }
        LeaseKeyTemplate run = policy.once().run();
        LeaseRequest terms = policy.terms().apply(LeaseRequest.of(policy.method()));
        boolean fires = policy.once().schedule().fires();
        boolean bySlot = policy.once().bySlot() && fires;
        boolean holds = fires && (isSet(terms.holdAtLeast()) || isSet(terms.cooldown()));
        if (terms.permits() == 0 && (bySlot || holds || (run != null && !run.differsBetweenBeans()))) {
            log.warn(
                    "Beans '{}' share the lease of '{}' and its runs, so each run is executed on one of them only. Put what tells"
                            + " them apart into the key, as in @DistributedLease(\"{}-#{target.name}\"), where 'name' is a"
                            + " property of the class",
                    String.join("', '", beans),
                    policy.method(),
                    policy.name());
        }
    }

    /** Call this method after Spring has registered all tasks. */
    public static void warnOfTasks(LeasePolicy policy) {
        String problem = policy.once().hasSlots() ? policy.once().schedule().problemOfTasks() : null;
        if (problem != null) {
            log.warn(
                    "Method '{}' has a cron expression, but {}. Firings whose times are unknown have no slot, so every node runs"
                            + " them, one after the other. Schedule the method by its annotation or by a CronTask with a"
                            + " ScheduledMethodRunnable, or set 'once' or 'holdAtLeast'",
                    policy.method(),
                    problem);
        }
    }

    private static boolean isSet(Duration duration) {
        return !duration.isZero();
    }

    private static String fix(LeaseSchedule schedule) {
        if (schedule.isFixedDelay()) {
            return "To apply the delay across all nodes, set 'cooldown' to the delay minus 3 s";
        }
        return "To run it on one node each time, set 'holdAtLeast' to the period minus 3 s, or use a single cron expression"
                + " whose times are at least 10 s apart";
    }

    private static void warnIfTooLong(LeasePolicy policy, String attribute, Duration hold) {
        Duration period = policy.once().schedule().period();
        if (isSet(hold) && period != null && hold.compareTo(period.minus(MARGIN)) > 0) {
            log.warn(
                    "Method '{}' is scheduled every {} and its {} is {}, which may block the next firing. Make it at least {}"
                            + " shorter than the period",
                    policy.method(),
                    Text.exact(period),
                    attribute,
                    Text.exact(hold),
                    Text.exact(MARGIN));
        }
    }
}
