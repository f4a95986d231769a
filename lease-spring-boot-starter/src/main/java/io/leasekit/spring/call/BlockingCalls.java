package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseStoreException;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.policy.LeaseParameters;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.policy.SkippedResult;
import io.leasekit.spring.policy.UnfinishedResult;
import io.leasekit.spring.schedule.Firing;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Calls annotated methods on the caller's thread, which waits for the lease. Thread-safe. */
final class BlockingCalls {

    private final LeaseCalls calls;
    private final CallThreads threads;

    BlockingCalls(LeaseCalls calls, CallThreads threads) {
        this.calls = calls;
        this.threads = threads;
    }

    @Nullable
    Object call(MethodInvocation invocation, LeasePolicy policy) throws Throwable {
        Firing firing = policy.once().firing();
        LeaseCall call;
        try {
            CallStart start = new CallStart(
                    calls,
                    invocation,
                    policy,
                    firing,
                    LeaseFrame.innermost(),
                    null,
                    (copy, granted) -> callLater(copy, policy, granted));
            try {
                call = start.joined() != null ? start.joined() : start.acquire();
            } catch (Throwable refusal) {
                return start.instead(refusal);
            }
        } catch (LeaseStoreException failure) {
            if (firing != null) {
                firing.logInstead(failure, () -> calls.logFailed(policy, failure));
            }
            throw failure;
        }
        return callUnderLease(invocation, policy, call);
    }

    /** Executes a run that has waited for its lease, on a thread of the method's scheduler. */
    private void callLater(MethodInvocation invocation, LeasePolicy policy, LeaseCall call) {
        try {
            callUnderLease(invocation, policy, call);
        } catch (Throwable failure) {
            // rethrown so that the scheduler's error handler receives the failure, as it does for a failed firing
            ReflectionUtils.rethrowRuntimeException(failure);
        }
    }

    private @Nullable Object callUnderLease(MethodInvocation invocation, LeasePolicy policy, LeaseCall call)
            throws Throwable {
        try {
            return run(call, () -> finished(policy, proceed(invocation, policy.parameters(), call.lease())), threads);
        } catch (Throwable failure) {
            if (call.endsQuietly()
                    && SkippedResult.isPossible(invocation.getMethod().getReturnType())) {
                return policy.skippedResult().get();
            }
            throw failure;
        }
    }

    /** If the method returns a stage, the call records the outcome and leaves the lease when the stage completes. */
    static @Nullable Object run(LeaseCall call, LeaseCall.Body method, CallThreads threads) throws Throwable {
        boolean continues = false;
        try {
            if (call.hasJoined()) {
                call.lease().ensureValid();
            }
            Object result = call.proceed(method);
            if (result instanceof CompletionStage<?> stage) {
                continues = true;
                return StageCalls.continued(stage, new AsyncCall(call, threads.withContextOfCaller()));
            }
            call.succeeded();
            return result;
        } catch (Throwable failure) {
            call.failed(failure);
            throw failure;
        } finally {
            if (!continues) {
                call.leave();
            }
        }
    }

    private static @Nullable Object proceed(MethodInvocation invocation, LeaseParameters parameters, Lease lease)
            throws Throwable {
        List<Integer> set = parameters.set(invocation.getArguments(), lease);
        try {
            return CallShell.proceed(invocation);
        } finally {
            @Nullable Object[] arguments = invocation.getArguments();
            // Outer advice may retry the call, and the retry must get its own lease.
            set.forEach(index -> arguments[index] = null);
        }
    }

    /**
     * Returns whether the declared type excludes the {@code CompletableFuture} that Leasekit returns to report a lost
     * lease.
     */
    private static boolean cannotBeReplaced(LeasePolicy policy, Object result) {
        return result instanceof CompletionStage<?>
                && policy.onLost() != OnLost.NOTIFY
                && !policy.result().type().isAssignableFrom(CompletableFuture.class);
    }

    private static @Nullable Object finished(LeasePolicy policy, @Nullable Object result) {
        if (result != null
                && (UnfinishedResult.isUnfinished(result, policy.result().type())
                        || cannotBeReplaced(policy, result))) {
            throw policy.unfinished(result);
        }
        return result;
    }
}
