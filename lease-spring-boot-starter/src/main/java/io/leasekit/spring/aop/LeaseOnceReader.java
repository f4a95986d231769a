package io.leasekit.spring.aop;

import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.key.InvalidLeaseKeyException;
import io.leasekit.spring.key.LeaseKeyTemplate;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.lang.reflect.Method;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.ParseException;

/** Reads which run a method's calls are for, and refuses what could not work. */
final class LeaseOnceReader {

    private final MergedAnnotation<DistributedLease> annotation;
    private final Method method;
    private final Class<?> targetClass;
    private final ConfigurableBeanFactory beanFactory;
    private final LeaseMethodRules rules;

    LeaseOnceReader(
            MergedAnnotation<DistributedLease> annotation,
            Method method,
            Class<?> targetClass,
            ConfigurableBeanFactory beanFactory,
            LeaseMethodRules rules) {
        this.annotation = annotation;
        this.method = method;
        this.targetClass = targetClass;
        this.beanFactory = beanFactory;
        this.rules = rules;
    }

    /** Reads it for a method of this name and these terms. */
    LeaseOnce read(String name, LeaseRequest terms) {
        LeaseSchedule schedule = LeaseSchedule.of(method, targetClass, beanFactory, Clock.systemUTC());
        LeaseKeyTemplate run = run();
        boolean auto = run == null && DistributedLease.AUTO.equals(text());
        checkFailure(run != null || (auto && schedule.scheduled()));
        if (run != null) {
            checkNamed(run, terms);
        }
        OnceOrder order = annotation.getEnum("onceOrder", OnceOrder.class);
        return new LeaseOnce(name, schedule, auto ? schedule.slots() : null, run, order, isRetried(run != null));
    }

    private boolean isRetried(boolean named) {
        OnFailure onFailure = annotation.getEnum("onFailure", OnFailure.class);
        return onFailure == OnFailure.RETRY || (onFailure == OnFailure.AUTO && named);
    }

    private void checkFailure(boolean mayHaveRuns) {
        if (!mayHaveRuns && annotation.getEnum("onFailure", OnFailure.class) != OnFailure.AUTO) {
            throw rules.invalid(
                    "onFailure is set, and no call is for a run",
                    "Remove 'onFailure', or name the run by 'once'.",
                    null);
        }
    }

    private void checkNamed(LeaseKeyTemplate run, LeaseRequest terms) {
        if (!terms.holdAtLeast().isZero() || !terms.cooldown().isZero()) {
            throw rules.invalid(
                    "once is set together with holdAtLeast or cooldown, after whose end the run may be forgotten",
                    "Remove 'holdAtLeast' and 'cooldown': a run that is done is not run again.",
                    null);
        }
        String constant = run.constant();
        if (constant != null) {
            try {
                var unused = terms.once(constant);
            } catch (IllegalArgumentException e) {
                throw rules.invalid(String.valueOf(e.getMessage()), "Correct 'once'.", e);
            }
        }
    }

    /** The template of the run's name; {@code null}: the annotation names none. */
    private @Nullable LeaseKeyTemplate run() {
        String text = annotation.getString("once");
        if (isKeyword(text) || (!text.contains("#{") && isKeyword(text()))) {
            return null;
        }
        try {
            return new LeaseKeyTemplate(text, "run", method, targetClass, beanFactory);
        } catch (InvalidLeaseKeyException e) {
            throw rules.invalid("once '" + text + "' cannot be read: " + e.getMessage(), e.cure(), e);
        } catch (ParseException | IllegalArgumentException e) {
            throw rules.invalid("once '" + text + "' cannot be read: " + e.getMessage(), "Correct 'once'.", e);
        }
    }

    private static boolean isKeyword(String text) {
        return text.equals(DistributedLease.AUTO) || text.equals(DistributedLease.NEVER);
    }

    /** With its placeholders resolved, so that a property can switch it. */
    private String text() {
        String text = annotation.getString("once");
        try {
            String resolved = text.contains("#{") ? text : beanFactory.resolveEmbeddedValue(text);
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw rules.invalid("once cannot be read: " + e.getMessage(), "Set the property.", e);
        }
    }
}
