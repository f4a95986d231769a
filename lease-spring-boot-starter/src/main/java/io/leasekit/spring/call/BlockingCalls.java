package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.call.LeaseCalls.Beginning;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.policy.LeaseParameters;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.policy.SkippedResult;
import io.leasekit.spring.policy.UnfinishedResult;
import io.leasekit.spring.schedule.Firing;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Calls methods on the caller's thread. The thread waits for the lease and, unless the lease is released in the
 * background, for the release. The work has ended when the method returns. A method whose declared return type is not a
 * stage can still return a stage. In this case, the work ends when the stage completes, and no thread waits for the
 * release. Thread-safe.
 */
final class BlockingCalls {

    private final LeaseCalls calls;
    private final FiringAcquires firings;
    private final CallThreads threads;

    BlockingCalls(LeaseCalls calls, FiringAcquires firings, CallThreads threads) {
        this.calls = calls;
        this.firings = firings;
        this.threads = threads;
    }

    /** The outcome of a stage that is complete when it is returned. */
    private record Outcome<T>(@Nullable T value, @Nullable Throwable failure) {

        static <T> Outcome<T> of(CompletionStage<T> stage) {
            return stage.<Outcome<T>>handle(Outcome::new).toCompletableFuture().join();
        }
    }

    @Nullable
    Object call(MethodInvocation invocation, LeasePolicy policy) throws Throwable {
        Firing firing = policy.once().firing();
        MethodInvocation later =
                firing != null ? CallShell.copy(invocation) : invocation; // the rest of the advice chain
        boolean closeMayEndWait = firing != null
                && SkippedResult.isPossible(invocation.getMethod().getReturnType());
        CompletableFuture<Beginning> beginning = new CompletableFuture<>();
        calls.begin(
                invocation,
                policy,
                new LeaseCalls.Caller(
                        LeaseFrame.innermost(),
                        null,
                        null,
                        firing,
                        closeMayEndWait ? firings.onThread() : BlockingCalls::acquire,
                        call -> runLater(later, policy, call),
                        beginning));
        Outcome<Beginning> outcome = Outcome.of(beginning);
        Beginning begun = outcome.value();
        if (begun == null) {
            throw refused(outcome.failure(), policy, firing);
        }
        return begun.call() == null ? begun.result() : run(invocation, policy, begun.call());
    }

    private Throwable refused(@Nullable Throwable failure, LeasePolicy policy, @Nullable Firing firing) {
        if (firing != null && failure instanceof LeaseStoreException) {
            firing.logInstead(failure, () -> calls.logFailed(policy, failure));
        }
        return failure == null ? new IllegalStateException("The call has not begun") : failure;
    }

    private static CompletableFuture<Optional<Lease>> acquire(LeaseManager manager, LeaseRequest request) {
        return CompletableFuture.completedFuture(
                Optional.of(MockedManager.checked(manager.acquire(request), manager, request)));
    }

    private void runLater(MethodInvocation invocation, LeasePolicy policy, LeaseCall call) {
        try {
            run(invocation, policy, call);
        } catch (Throwable failure) {
            // the scheduler's error handler receives the failure, as after a firing
            ReflectionUtils.rethrowRuntimeException(failure);
        }
    }

    private @Nullable Object run(MethodInvocation invocation, LeasePolicy policy, LeaseCall call) throws Throwable {
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

    private static @Nullable Object proceed(MethodInvocation invocation, LeaseParameters parameters, Lease lease)
            throws Throwable {
        List<Integer> set = parameters.set(invocation.getArguments(), lease);
        try {
            return CallShell.proceed(invocation);
        } finally {
            @Nullable Object[] arguments = invocation.getArguments();
            set.forEach(index -> arguments[index] = null); // outer advice may retry the call, under another lease
        }
    }

    static @Nullable Object run(LeaseCall call, LeaseCall.Body method, CallThreads threads) throws Throwable {
        Object result;
        try {
            result = call.proceed(method);
        } catch (Throwable failure) {
            var unused = call.failed(failure);
            throw failure;
        }
        if (result instanceof CompletionStage<?> stage) {
            LeaseCall rest = call.withoutThread(RunOnce.onOrHere(threads.withContextOfCaller()));
            if (!call.failsByLoss()) {
                StageCalls.endWithOwn(stage, rest);
                return stage;
            }
            CompletableFuture<@Nullable Object> ofCaller = new CompletableFuture<>();
            StageCalls.endWith(stage, rest, ofCaller);
            return ofCaller;
        }
        Throwable loss = Outcome.of(call.succeeded()).failure();
        if (loss != null) {
            var unused = call.failed(loss);
            throw loss;
        }
        var unused = call.ended();
        return result;
    }

    /**
     * Returns whether the method has returned a stage that would have to be replaced, but cannot. Unless {@code onLost}
     * is {@code NOTIFY}, the caller gets a {@code CompletableFuture} in place of the stage, so that it can fail when
     * the lease is lost. The declared return type must permit this future.
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
