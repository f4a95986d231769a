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

/** Calls annotated methods under their leases. Thread-safe. */
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

    /** If {@code releaseInBackground} supplies true, calls return without waiting for the release of their lease. */
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

    /** Reads beans before the first call, because the bean factory creates no beans during a shutdown. */
    public void prepare() {
        var unused = background.get();
        var unusedToo = observations.get();
    }

    public @Nullable Object call(MethodInvocation invocation, LeasePolicy policy) throws Throwable {
        return switch (policy.result().kind()) {
            case STAGE -> stages.call(invocation, policy);
            case REACTIVE, SUSPENDING -> reactive.get().call(invocation, policy);
            default -> blocking.call(invocation, policy);
        };
    }

    /** Returns the manager with this bean name or qualifier; for an empty name, the only or primary manager. */
    public LeaseManager manager(String name) {
        return managers.get(name);
    }

    /** Makes all calls use the only or primary manager, if one exists, instead of the manager in their annotation. */
    public void useDefault() {
        managers.useDefault();
    }

    public SkippedCalls.Skipped skipped(String method) {
        return skipped.byMethod().getOrDefault(method, SkippedCalls.Skipped.NONE);
    }

    /** Lets firings (calls by a scheduler) acquire leases, and wait for runs, again after {@link #stopWaiting()}. */
    public void startWaiting() {
        waiters.open();
        firings.open();
    }

    /**
     * Cancels each firing (call by a scheduler) that waits for its lease or for another node's run. Firings of methods
     * that return a primitive value are not cancelled, because a skipped firing has no value.
     */
    public void stopWaiting() {
        waiters.close();
        firings.close();
    }
}
