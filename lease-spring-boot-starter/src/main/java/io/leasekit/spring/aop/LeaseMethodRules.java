package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;

/** Rules for the signature of a method that runs under a lease. */
final class LeaseMethodRules {

    private final Method method;
    private final Class<?> targetClass;

    LeaseMethodRules(Method method, Class<?> targetClass) {
        this.method = method;
        this.targetClass = targetClass;
    }

    /** Spring rejects such a method too, but without mentioning the lease. */
    void refuseScheduledWithParameters() {
        if (method.getParameterCount() > 0 && LeaseSchedule.isScheduled(method)) {
            throw invalid(
                    "a method with @Scheduled must not have parameters, not even one for the lease",
                    "Remove the parameters. 'LeaseContext.current()' returns the lease.");
        }
    }

    void refuseSeveralLeaseParameters() {
        int count = LeaseParameter.count(method);
        if (count > 1) {
            throw invalid(
                    "it has " + count + " parameters of type " + Lease.class.getSimpleName() + ", expected at most one",
                    "Keep one of them.");
        }
    }

    void refusePrimitiveResult(String attribute) {
        if (!SkippedResult.isPossible(method.getReturnType())) {
            throw invalid(
                    "a skipped call has no result, but the method returns '" + method.getReturnType() + "'",
                    "Return an object, or set '" + attribute + "' to THROW.");
        }
    }

    void refuseReactiveResult() {
        Class<?> type = method.getReturnType();
        boolean reactive = Flow.Publisher.class.isAssignableFrom(type)
                || (!isPlain(type)
                        && !CompletionStage.class.isAssignableFrom(type)
                        && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
        if (reactive || KotlinDetector.isSuspendingFunction(method)) {
            throw invalid(
                    "the method returns before its work begins, so the lease would not cover it",
                    "Return the result itself or a CompletionStage, or use the LeaseManager in the method.");
        }
    }

    /** Avoids loading the reactive library, if there is one, for types that cannot be reactive. */
    private static boolean isPlain(Class<?> type) {
        return type.isPrimitive() || type.getName().startsWith("java.");
    }

    /**
     * Rejects other stage types. The caller receives a stage of its own in place of the method's, and that is a plain
     * {@code CompletableFuture}.
     */
    void refuseStageOfOtherType(OnLost onLost) {
        Class<?> type = method.getReturnType();
        if (onLost != OnLost.NOTIFY
                && CompletionStage.class.isAssignableFrom(type)
                && !type.isAssignableFrom(CompletableFuture.class)) {
            throw invalid(
                    "a '" + type.getName() + "' cannot report the loss of the lease",
                    "Return a CompletableFuture or CompletionStage, or set 'onLost' to NOTIFY.");
        }
    }

    private InvalidDistributedLeaseException invalid(String problem, String cure) {
        return new InvalidDistributedLeaseException(method, targetClass, problem, cure, null);
    }
}
