package io.leasekit.spring.call;

import io.leasekit.LeaseManager;
import io.leasekit.internal.Internal;
import io.leasekit.spring.SkippedCallListener;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.schedule.JobSchedulers;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Calls annotated methods under their leases. The return type of a method decides whether its calls are blocking,
 * asynchronous or reactive. Thread-safe.
 */
@Internal
public final class AnnotatedCalls {

    private final LeaseManagers managers;
    private final SkippedCalls skipped;
    private final RunWaiters waiters;
    private final FiringAcquires firings = new FiringAcquires();
    private final BlockingCalls blocking;
    private final CallShell stages;
    private final Supplier<CallShell> reactive;
    private final Supplier<Boolean> background;
    private final Supplier<ObservationRegistry> observations;

    /**
     * Creates the entry point for calls. {@code releaseInBackground} returns whether calls return without waiting for
     * the release of their lease. The supplier is called only once, by {@link #prepare} or by the first call.
     */
    public AnnotatedCalls(ConfigurableListableBeanFactory beans, Supplier<Boolean> releaseInBackground) {
        this.managers = new LeaseManagers(beans);
        this.skipped = new SkippedCalls(
                () -> beans.getBeanProvider(SkippedCallListener.class).orderedStream());
        this.waiters = new RunWaiters(new JobSchedulers(beans));
        ObjectProvider<ObservationRegistry> registries = beans.getBeanProvider(ObservationRegistry.class);
        this.observations = new Remembered<>(() -> registries.getIfUnique(() -> ObservationRegistry.NOOP));
        this.background = new Remembered<>(releaseInBackground);
        LeaseCalls calls =
                new LeaseCalls(managers, observations, background, new CallsWithoutLease(skipped), waiters, firings);
        CallThreads threads = new CallThreads();
        this.blocking = new BlockingCalls(calls, threads);
        this.stages = new StageCalls(calls, threads);
        this.reactive = new Remembered<>(() -> new ReactiveCalls(calls));
    }

    /**
     * Reads from the bean factory the values that all calls need. Without this method, the first call would read the
     * values. During a shutdown, the first call would fail, because the bean factory creates no beans.
     */
    public void prepare() {
        var unused = background.get();
        var unusedToo = observations.get();
    }

    /** Calls the method under its lease, and returns the result for its caller. */
    public @Nullable Object call(MethodInvocation invocation, LeasePolicy policy) throws Throwable {
        return switch (policy.result().kind()) {
            case STAGE -> stages.call(invocation, policy);
            case REACTIVE, SUSPENDING -> reactive.get().call(invocation, policy);
            default -> blocking.call(invocation, policy);
        };
    }

    /**
     * Returns the {@code LeaseManager} bean with this bean name or qualifier. If the name is empty, returns the only or
     * primary {@code LeaseManager} bean.
     *
     * @throws NoSuchLeaseManagerException if no manager matches
     * @throws NoSuchLeaseManagerException if several managers match
     */
    public LeaseManager manager(String name) {
        return managers.get(name);
    }

    /**
     * Makes all calls use the only or primary {@code LeaseManager} bean, if it exists, instead of the manager that
     * their annotation names.
     */
    public void useDefault() {
        managers.useDefault();
    }

    /** Returns how many calls of the method with this name got no lease, by reason. */
    public SkippedCalls.Skipped skipped(String method) {
        return skipped.byMethod().getOrDefault(method, SkippedCalls.Skipped.NONE);
    }

    /**
     * Allows firings (calls by a scheduler) to acquire leases, and to wait for runs that another node has begun. Undoes
     * {@link #stopWaiting()}.
     */
    public void startWaiting() {
        waiters.open();
        firings.open();
    }

    /**
     * Cancels each firing (call by a scheduler) that waits for its lease, or for a run that another node has begun.
     * After {@code stopWaiting}, no waiting run starts on this node, and no firing begins an acquire. A cancelled
     * firing is skipped, or fails if the method returns a publisher that must emit a value, such as RxJava's
     * {@code Single}. Firings of a method that returns a primitive value are not cancelled, and may still acquire
     * leases.
     */
    public void stopWaiting() {
        waiters.close();
        firings.close();
    }
}
