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
 * Applies {@link DistributedLease} to all beans of a context. It creates no manager before {@link #prepare()} finds an
 * annotated method, or before such a method is called or {@link #manager} is asked for one.
 *
 * <p>By default its order, {@link #DEFAULT_ORDER}, is inside method security and {@code @Async} and outside
 * {@code @Transactional}, so a lease is released after the commit. Thread-safe.
 */
@Internal
public final class DistributedLeaseAdvisor extends AbstractPointcutAdvisor {

    /** Default order of the advice. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    private static final long serialVersionUID = 1L;

    private final transient DistributedLeasePointcut pointcut;
    private final transient ConfigurableListableBeanFactory beans;
    private final transient StandIns standIns;
    private final transient LeasePolicies policies;
    private final transient AnnotatedCalls calls;
    private final transient DistributedLeaseAspect aspect;

    /**
     * Creates the advisor.
     *
     * @param beanFactory the source of managers and placeholder values
     * @param standIns the objects that replace beans
     * @param settings the settings, first read when an annotated method is prepared or called
     */
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
     * Switches the exclusion of other processes off. After that, annotated methods run under leases of the default manager,
     * whatever manager they name, and nothing is checked at start-up.
     */
    public void switchOff() {
        calls.useDefault();
        pointcut.letAllPass();
    }

    /**
     * Reads the annotations of all existing beans and creates the managers that they name. Warns about calls of an
     * object on itself, because such calls take no lease. Logs schedules whose attributes may not have the expected
     * effect. Does nothing if there is no annotation.
     *
     * @throws IllegalStateException if an annotated method cannot run under a lease, or would run without one
     */
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

    /** Warns about calls of an object on itself that are left to the elections of these classes. */
    public void checkLeaders(Set<Class<?>> types) {
        if (!pointcut.letsAllPass()) {
            SelfCalls.warnOf(types, LeaderOnly.class);
        }
    }

    /**
     * Warns if Spring's schedules differ from those of the annotations, and catches missed slots up. Called when Spring has
     * registered all tasks.
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
     * Checks another context of the hierarchy. Called when that context is refreshed, or this one after it.
     *
     * @throws IllegalStateException if it has annotated beans, but not the auto-configuration
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

    /** Lets firings ask for leases, and wait for runs that another node has begun, also after {@link #stopWaiting()}. */
    public void startWaiting() {
        calls.startWaiting();
    }

    /**
     * Cancels waits for runs that another node has begun, and firings that wait for their lease, except of methods that
     * return a primitive value. From then on, none of these runs starts here, and no such firing asks for a lease.
     */
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

    /** Returns the annotated methods of all existing beans, sorted by name. */
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

    /** Fires a method, by its qualified name, for this slot, if it has this slot on this node; returns whether it has. */
    public boolean fireAgain(String method, Instant slot) {
        return pointcut.matchedClasses().stream()
                .flatMap(type -> policies.allOf(type).values().stream())
                .filter(policy -> policy.method().equals(method))
                .anyMatch(policy -> policy.once().schedule().fireAgain(slot));
    }

    /**
     * Returns the manager with this bean name or qualifier; for an empty name, the only or primary one.
     *
     * @throws IllegalStateException if there is no such manager, or several match
     */
    public LeaseManager manager(String name) {
        return calls.manager(name);
    }

    /** Returns whether any existing bean has an annotated method. */
    public boolean hasAnnotatedMethods() {
        return !pointcut.matchedClasses().isEmpty();
    }
}
