package io.leasekit.spring;

import io.leasekit.Lease;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Puts {@link DistributedLease} into effect, for all beans of a context. It makes no manager before an annotated method is
 * called or {@link #prepare()} finds one.
 *
 * <p>Its order, {@link #DEFAULT_ORDER}, is inside method security and {@code @Async} and outside {@code @Transactional}: the
 * lease is released after the commit. Thread-safe.
 */
public final class DistributedLeaseAdvisor extends AbstractPointcutAdvisor {

    /** The order of the advice. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    private static final long serialVersionUID = 1L;

    private final transient DistributedLeasePointcut pointcut = new DistributedLeasePointcut();
    private final transient LeasePolicies policies;
    private final transient LeaseManagers managers;
    private final transient SkippedCalls skipped = new SkippedCalls();
    private final transient DistributedLeaseAspect aspect;

    /**
     * Creates the advisor.
     *
     * @param beanFactory where managers and placeholders are looked up
     * @param settings gives the settings; asked not before the first annotated method is prepared or called
     */
    public DistributedLeaseAdvisor(ConfigurableBeanFactory beanFactory, Supplier<DistributedLeaseSettings> settings) {
        this.policies = new LeasePolicies(beanFactory, () -> settings.get().keyPrefix());
        this.managers = new LeaseManagers(beanFactory);
        this.aspect = new DistributedLeaseAspect(
                policies, managers, lease -> release(lease, settings.get().releaseInBackground()), skipped);
        setOrder(DEFAULT_ORDER);
    }

    /**
     * Reads the annotations of all beans made so far and makes the managers that they name; does nothing if there are none.
     *
     * @throws IllegalStateException if an annotated method cannot be called under a lease
     */
    public void prepare() {
        for (Class<?> type : pointcut.matchedClasses()) {
            for (LeasePolicy policy : policies.allOf(type)) {
                managers.get(policy.manager());
            }
        }
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return aspect;
    }

    SkippedCalls skippedCalls() {
        return skipped;
    }

    private static void release(Lease lease, boolean inBackground) {
        if (inBackground) {
            lease.releaseAsync();
        } else {
            lease.close();
        }
    }
}
