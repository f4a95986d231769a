package io.leasekit.spring.call;

import io.leasekit.spring.call.AsyncCall.Beginning;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.schedule.Firing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Calls annotated methods that return a {@code CompletionStage}, and returns a future to the caller at once. Once the
 * lease is granted, the method runs on a thread of {@link CallThreads}. A call that joins a lease runs on the caller's
 * thread, unless the lease must first be confirmed as valid. Thread-safe.
 */
final class StageCalls implements CallShell {

    private final LeaseCalls calls;
    private final CallThreads threads;

    StageCalls(LeaseCalls calls, CallThreads threads) {
        this.calls = calls;
        this.threads = threads;
    }

    @Override
    public Object call(MethodInvocation invocation, LeasePolicy policy) {
        MethodInvocation own = CallShell.copy(invocation);
        Executor executor = threads.withContextOfCaller();
        CompletableFuture<@Nullable Object> ofCaller = new CompletableFuture<>();
        Firing firing = policy.once().firing();
        CompletableFuture<Beginning> beginning = new CompletableFuture<>();
        var unused = beginning.whenComplete(
                (begun, failure) -> begun(own, policy, firing != null, begun, failure, ofCaller));
        var unusedToo = ofCaller.whenComplete((value, failure) -> beginning.cancel(true));
        AsyncCall.begin(
                () -> new CallStart(
                        calls,
                        own,
                        policy,
                        firing,
                        LeaseFrame.innermost(),
                        null,
                        (copy, call) -> work(copy, policy, new AsyncCall(call, executor), logged(policy))),
                executor,
                beginning);
        return ofCaller;
    }

    /** Returns a future that logs its failure, because no caller gets the future. */
    private CompletableFuture<@Nullable Object> logged(LeasePolicy policy) {
        CompletableFuture<@Nullable Object> future = new CompletableFuture<>();
        var unused = future.whenComplete((value, failure) -> logFailure(policy, failure));
        return future;
    }

    private void logFailure(LeasePolicy policy, @Nullable Throwable failure) {
        if (failure != null) {
            calls.logFailed(policy, failure);
        }
    }

    private void begun(
            MethodInvocation invocation,
            LeasePolicy policy,
            boolean firing,
            @Nullable Beginning beginning,
            @Nullable Throwable failure,
            CompletableFuture<@Nullable Object> ofCaller) {
        if (beginning == null) {
            if (firing && !ofCaller.isDone()) {
                // Spring ignores the future that a scheduled method returns.
                logFailure(policy, failure);
            }
            ofCaller.completeExceptionally(failure);
        } else if (beginning.call() != null) {
            work(invocation, policy, beginning.call(), ofCaller);
        } else if (beginning.result() instanceof CompletionStage<?> stage) {
            whenEnded(stage, AsyncCall.ending(ofCaller));
        } else {
            ofCaller.complete(null);
        }
    }

    /** A stage whose {@code whenComplete} throws counts as failed. */
    private static void whenEnded(
            CompletionStage<?> stage, BiConsumer<@Nullable Object, @Nullable Throwable> receiver) {
        try {
            var unused = stage.whenComplete(receiver);
        } catch (Throwable e) {
            receiver.accept(null, e);
        }
    }

    private static void work(
            MethodInvocation invocation,
            LeasePolicy policy,
            AsyncCall call,
            CompletableFuture<@Nullable Object> ofCaller) {
        Object result;
        try {
            policy.parameters().set(invocation.getArguments(), call.held().lease());
            result = call.held().proceed(() -> CallShell.proceed(invocation));
        } catch (Throwable failure) {
            fail(call, failure, ofCaller);
            return;
        }
        if (result instanceof CompletionStage<?> stage) {
            endWith(stage, call, ofCaller);
        } else {
            end(call, null, null, ofCaller);
        }
    }

    /** Ends a blocking call when the stage of its method completes, and returns the stage for the caller. */
    static CompletionStage<?> continued(CompletionStage<?> stage, AsyncCall call) {
        if (!call.held().failsByLoss()) {
            endWithOwn(stage, call);
            return stage;
        }
        CompletableFuture<@Nullable Object> ofCaller = new CompletableFuture<>();
        endWith(stage, call, ofCaller);
        return ofCaller;
    }

    private static void endWith(
            CompletionStage<?> stage, AsyncCall call, CompletableFuture<@Nullable Object> ofCaller) {
        whenEnded(stage, (value, failure) -> end(call, value, failure, ofCaller));
        AsyncCall.passCancelOn(ofCaller, stage);
    }

    /** If the caller has cancelled the stage, the run is recorded as cut off, and can be executed again. */
    private static void endWithOwn(CompletionStage<?> stage, AsyncCall call) {
        // This future only tells fail() whether the caller has cancelled the stage.
        CompletableFuture<@Nullable Object> unseen = new CompletableFuture<>();
        whenEnded(stage, (value, failure) -> {
            if (isCancelled(stage)) {
                unseen.cancel(false);
            }
            end(call, value, failure, unseen);
        });
    }

    private static boolean isCancelled(CompletionStage<?> stage) {
        try {
            return stage instanceof Future<?> future && future.isCancelled();
        } catch (Throwable e) {
            // A stage of CompletableFuture.minimalCompletionStage() does not support isCancelled().
            return false;
        }
    }

    // If the caller completes the future early, for example by a timeout, the call still ends when the stage completes.
    // The caller receives the failure itself, not wrapped in a CompletionException.
    private static void end(
            AsyncCall call,
            @Nullable Object value,
            @Nullable Throwable failure,
            CompletableFuture<@Nullable Object> ofCaller) {
        if (failure != null) {
            fail(call, failure, ofCaller);
            return;
        }
        var unused = call.succeeded().whenComplete((confirmed, loss) -> {
            if (loss != null) {
                fail(call, loss, ofCaller);
            } else {
                succeed(call, value, ofCaller);
            }
        });
    }

    private static void succeed(AsyncCall call, @Nullable Object value, CompletableFuture<@Nullable Object> ofCaller) {
        var unused = call.ended().whenComplete((released, never) -> ofCaller.complete(value));
    }

    private static void fail(AsyncCall call, Throwable failure, CompletableFuture<@Nullable Object> ofCaller) {
        CompletionStage<Void> ended = ofCaller.isCancelled() ? call.cancelled() : call.failed(failure);
        var unused = ended.whenComplete((released, never) -> {
            if (call.held().endsQuietly()) {
                ofCaller.complete(null);
            } else {
                ofCaller.completeExceptionally(failure);
            }
        });
    }
}
