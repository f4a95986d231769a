package io.leasekit.spring.policy;

import io.leasekit.Lease;
import io.leasekit.Progress;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Rules for the signature of a method that runs under a lease. */
@Internal
public final class LeaseMethodRules {

    /** ShedLock is an optional dependency, so its annotations are looked up by name. */
    private static final List<String> SCHEDULER_LOCKS = List.of(
            "net.javacrumbs.shedlock.spring.annotation.SchedulerLock", "net.javacrumbs.shedlock.core.SchedulerLock");

    private final Method method;
    private final Class<?> targetClass;
    private final CallResult result;

    public LeaseMethodRules(Method method, Class<?> targetClass) {
        this.method = method;
        this.targetClass = targetClass;
        this.result = CallResult.of(method);
    }

    /** Spring also rejects scheduled methods with parameters, but Spring's message does not mention the lease. */
    public void refuseScheduledWithParameters() {
        // Kotlin adds one parameter, the continuation, to a suspending function.
        int given = KotlinDetector.isSuspendingFunction(method) ? 1 : 0;
        if (method.getParameterCount() > given && LeaseSchedule.isScheduled(method)) {
            throw invalid(
                    "a method with @Scheduled must not have parameters, not even one for the lease",
                    LeaseParameters.count(method, Progress.class) > 0
                            ? "Remove the parameter, and set 'resumable = true'. 'LeaseContext.current()' returns the lease"
                                    + " with its progress."
                            : "Remove the parameters. 'LeaseContext.current()' returns the lease.");
        }
    }

    void refuseSchedulerLock() {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        if (SCHEDULER_LOCKS.stream().anyMatch(annotations::isPresent)) {
            throw invalid(
                    "it also has @SchedulerLock, so a run that ShedLock skips would be recorded as done. With the module"
                            + " 'lease-shedlock' and one name for both, the method would never run",
                    "Remove one of the two annotations.");
        }
    }

    void refuseSeveralLeaseParameters() {
        for (Class<?> type : List.of(Lease.class, Progress.class)) {
            long count = LeaseParameters.count(method, type);
            if (count > 1) {
                throw invalid(
                        "it has " + count + " parameters of type " + type.getSimpleName() + ", expected at most one",
                        "Keep one of them.");
            }
        }
    }

    CallResult result() {
        return result;
    }

    void refuseResultThatCannotBeSkipped(String attribute, String otherwise) {
        Class<?> type = method.getReturnType();
        String fix = ", or set '" + attribute + "' to " + otherwise + ".";
        if (!SkippedResult.isPossible(type)) {
            throw invalid(
                    "a skipped call has no result, but the method returns '" + type + "'", "Return an object" + fix);
        }
        if (!result.mayBeEmpty()) {
            throw invalid(
                    "a skipped call has no result, but a '" + type.getName() + "' must have one",
                    "Return a type that may be empty" + fix);
        }
        if (SkippedResult.isNull(result) && KotlinResult.isNonNull(method)) {
            throw invalid(
                    "a skipped call returns null, but the result of the Kotlin function is not nullable",
                    "Declare the result as nullable, with '?'" + fix);
        }
    }

    void refuseUnguardableResult() {
        String type = result.type().getName();
        if (result.kind() == CallResult.Kind.UNSUPPORTED) {
            boolean suspending = KotlinDetector.isSuspendingFunction(method);
            throw invalid(
                    suspending
                            ? "Spring intercepts a suspending function only with 'kotlinx-coroutines-reactor'"
                            : "the lease of a '" + type + "' can be held only with Project Reactor",
                    "Add 'org.jetbrains.kotlinx:kotlinx-coroutines-reactor' and 'io.projectreactor:reactor-core', as needed, to"
                            + " the class path. Or use the LeaseManager in the method.");
        }
        if (result.isSuspendedFlow()) {
            throw invalid(
                    "Spring does not pass the context of a suspending function on to the flow that it returns, so the"
                            + " lease would not be seen in the flow",
                    "Leave out 'suspend', and suspend in the flow. Or use the LeaseManager in the function.");
        }
        if (!result.isCreatable()) {
            String general =
                    Objects.requireNonNull(result.adapter()).getReactiveType().getName();
            throw invalid(
                    "the lease cannot be attached to a '" + type + "', only to a '" + general + "'",
                    "Return '" + general + "'.");
        }
        refuseUnfinishedResult(type);
    }

    private void refuseUnfinishedResult(String type) {
        boolean guarded = result.kind() != CallResult.Kind.RETURNED && result.kind() != CallResult.Kind.SUSPENDING;
        boolean unfinished = !guarded
                && (UnfinishedResult.isUnfinished(result.type())
                        || (UnfinishedResult.isPublisher(result.type()) && !result.several()));
        Class<?> within = UnfinishedResult.within(method);
        if (unfinished || within != null) {
            throw invalid(
                    "the work behind a '"
                            + (unfinished
                                    ? type
                                    : Objects.requireNonNull(within).getName())
                            + "' goes on after the method has returned, and the lease would not cover it",
                    "Return the finished result, a CompletableFuture or a publisher such as Mono or Flux of finished"
                            + " values. Or use the LeaseManager in the method.");
        }
    }

    /** To report the loss of a lease, Leasekit returns a {@code CompletableFuture} in place of the method's stage. */
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

    private InvalidLeaseMethodException invalid(String problem, String fix) {
        return new InvalidLeaseMethodException(DistributedLease.class, method, targetClass, problem, fix, null);
    }
}
