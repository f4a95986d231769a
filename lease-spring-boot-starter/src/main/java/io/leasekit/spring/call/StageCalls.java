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
 * Calls annotated methods that return a {@code CompletionStage}. The caller receives a future at once, and no thread
 * waits for the lease. Once the lease is granted, the method runs on a thread of {@link CallThreads}. If no thread of
 * {@code CallThreads} can be started, the method runs on the thread that has completed the acquire. If the call joins
 * the lease of an enclosing call, the method runs on the caller's thread, unless that lease must first be confirmed as
 * valid. If a call by a scheduler must wait for its run, a thread of the scheduler calls the method after the wait. A
 * call by a scheduler may first block its thread to read DynamoDB's time, which determines the slot. Thread-safe.
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

    /** Returns a future that logs the failure of a run that has waited for its lease. No caller gets this future. */
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
                logFailure(policy, failure); // Spring ignores the future
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

    /**
     * Passes the outcome of a user's stage to the receiver. A stage whose {@code whenComplete} throws counts as failed.
     */
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

    /**
     * Ends a blocking call whose method has returned a stage, as soon as this stage completes. Returns the stage for
     * the caller.
     */
    static CompletionStage<?> continued(CompletionStage<?> stage, AsyncCall call) {
        if (!call.held().failsByLoss()) {
            endWithOwn(stage, call);
            return stage;
        }
        CompletableFuture<@Nullable Object> ofCaller = new CompletableFuture<>();
        endWith(stage, call, ofCaller);
        return ofCaller;
    }

    /**
     * When the method's stage completes, ends the call, and then completes the caller's future {@code ofCaller}. If the
     * caller cancels {@code ofCaller}, the stage is cancelled, too.
     */
    private static void endWith(
            CompletionStage<?> stage, AsyncCall call, CompletableFuture<@Nullable Object> ofCaller) {
        whenEnded(stage, (value, failure) -> end(call, value, failure, ofCaller));
        AsyncCall.passCancelOn(ofCaller, stage);
    }

    /**
     * Ends the call when the stage completes. Called if the caller gets the method's own stage, not a replacement. If
     * the caller has cancelled the stage, the run of the call is recorded as cut off, and can be executed again.
     */
    private static void endWithOwn(CompletionStage<?> stage, AsyncCall call) {
        CompletableFuture<@Nullable Object> unseen = new CompletableFuture<>(); // fail() checks whether it is cancelled
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
        } catch (Throwable e) { // a minimal stage of the JDK is a future that throws here
            return false;
        }
    }

    // The caller's future is independent of the method's stage: if the caller completes the future early, for example
    // by a timeout, the call still ends properly. The caller receives the failure itself, not wrapped in a
    // CompletionException.
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
