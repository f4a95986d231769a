package io.leasekit.spring.aop;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.call.AnnotatedCalls;
import io.leasekit.spring.call.NoSuchLeaseManagerException;
import io.leasekit.spring.call.SkippedCalls;
import io.leasekit.spring.check.OtherContexts;
import io.leasekit.spring.check.ScheduleAdvice;
import io.leasekit.spring.check.SelfCalls;
import io.leasekit.spring.check.SharingBeans;
import io.leasekit.spring.check.StandIns;
import io.leasekit.spring.check.UnguardedBeans;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.LeaseKey;
import io.leasekit.spring.policy.LeasePolicies;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.policy.LeasedMethod;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;

/**
 * Applies {@link DistributedLease} to all beans of a context. With {@link #DEFAULT_ORDER}, the lease advice runs
 * outside {@code @Transactional}, so a lease is released after the commit. Thread-safe.
 */
@Internal
public final class DistributedLeaseAdvisor extends AbstractPointcutAdvisor {

    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    private static final long serialVersionUID = 1L;

    private final transient DistributedLeasePointcut pointcut;
    private final transient ConfigurableListableBeanFactory beans;
    private final transient StandIns standIns;
    private final transient LeasePolicies policies;
    private final transient AnnotatedCalls calls;
    private final transient DistributedLeaseAspect aspect;

    /** {@code settings} is read when an annotated method is first prepared or called. */
    public DistributedLeaseAdvisor(
            ConfigurableListableBeanFactory beanFactory,
            StandIns standIns,
            Supplier<DistributedLeaseSettings> settings) {
        this.beans = beanFactory;
        this.standIns = standIns;
        this.pointcut = new DistributedLeasePointcut(standIns::addAdvised);
        this.policies = new LeasePolicies(beanFactory, () -> settings.get().keyPrefix());
        this.calls = new AnnotatedCalls(beanFactory, () -> settings.get().releaseInBackground());
        this.aspect = new DistributedLeaseAspect(policies, calls);
        setOrder(DEFAULT_ORDER);
    }

    /**
     * While leases are switched off, all annotated methods use the default manager, and the checks at startup are
     * omitted.
     */
    public void switchOff() {
        calls.useDefault();
        pointcut.letAllPass();
    }

    /** Rejects annotated methods of existing beans that cannot run under a lease, or that would run without a lease. */
    public void prepare() {
        if (pointcut.letsAllPass()) {
            return;
        }
        new UnguardedBeans(beans, standIns, this, pointcut::isAnnotated).refuse();
        List<LeasePolicy> all = new ArrayList<>();
        for (Class<?> type : pointcut.matchedClasses()) {
            policies.allOf(type).forEach((method, policy) -> {
                makeManager(policy, method, type);
                ScheduleAdvice.give(policy, method);
                all.add(policy);
            });
        }
        if (!all.isEmpty()) {
            calls.prepare();
        }
        ScheduleAdvice.warnOfSharedSlots(all);
        new SharingBeans(beans).warn(pointcut.matchedClasses(), policies);
        SelfCalls.warnOf(pointcut.matchedClasses(), DistributedLease.class);
    }

    /**
     * Logs a warning if an object calls its own method with {@link LeaderOnly}, which only the election should call.
     */
    public void checkLeaders(Set<Class<?>> types) {
        if (!pointcut.letsAllPass()) {
            SelfCalls.warnOf(types, LeaderOnly.class);
        }
    }

    /**
     * Fires methods with {@link DistributedLease#catchUp()} that missed a time of their cron expression. Must be called
     * when Spring has registered all tasks.
     */
    public void tasksAreKnown() {
        if (!pointcut.letsAllPass()) {
            pointcut.matchedClasses()
                    .forEach(type -> policies.allOf(type).values().forEach(this::tasksAreKnown));
        }
    }

    private void tasksAreKnown(LeasePolicy policy) {
        ScheduleAdvice.warnOfTasks(policy);
        if (policy.once().catchUp() != null) {
            policy.catchUp(calls.manager(policy.manager()));
        }
    }

    /**
     * Throws an exception if the context {@code other} has annotated beans, but lacks Leasekit's auto-configuration.
     */
    public void check(ApplicationContext other) {
        if (!pointcut.letsAllPass()) {
            OtherContexts.refuse(other);
        }
    }

    private void makeManager(LeasePolicy policy, Method method, Class<?> type) {
        try {
            LeaseManager manager = calls.manager(policy.manager());
            policy.refuseWithoutTransactions(manager, method, type);
            policy.refuseForgottenRuns(manager, method, type);
        } catch (NoSuchLeaseManagerException e) {
            throw new InvalidLeaseMethodException(
                    DistributedLease.class, method, type, String.valueOf(e.getMessage()), e.fix(), e);
        }
    }

    public void startWaiting() {
        calls.startWaiting();
    }

    public void stopWaiting() {
        calls.stopWaiting();
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return aspect;
    }

    public List<LeasedMethod> methods() {
        return pointcut.matchedClasses().stream()
                .flatMap(type -> policies.allOf(type).entrySet().stream())
                .map(policy -> leased(policy.getValue()))
                .distinct()
                .sorted(Comparator.comparing(LeasedMethod::method))
                .toList();
    }

    private LeasedMethod leased(LeasePolicy policy) {
        SkippedCalls.Skipped skipped = calls.skipped(policy.method());
        return new LeasedMethod(
                policy.method(),
                policy.name(),
                policy.manager(),
                policy.fixed() == null ? null : policy.fixed().key(),
                policy.keys().stream().map(LeaseKey::known).toList(),
                policy.once().schedule().isScheduled(),
                policy.once().schedule().firings(),
                policy.terms().apply(LeaseRequest.of(policy.method())).permits(),
                skipped.unavailable(),
                skipped.paused(),
                skipped.storeFailures(),
                skipped.failed());
    }

    /** Returns false, without firing the method, if the method's schedule on this node lacks the slot (a cron time). */
    public boolean fireAgain(String method, Instant slot) {
        return pointcut.matchedClasses().stream()
                .flatMap(type -> policies.allOf(type).values().stream())
                .filter(policy -> policy.method().equals(method))
                .anyMatch(policy -> policy.once().schedule().fireAgain(slot));
    }

    public LeaseManager manager(String name) {
        return calls.manager(name);
    }

    public boolean hasAnnotatedMethods() {
        return !pointcut.matchedClasses().isEmpty();
    }
}
