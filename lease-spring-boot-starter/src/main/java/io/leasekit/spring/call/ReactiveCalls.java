package io.leasekit.spring.call;

import io.leasekit.LeaseException;
import io.leasekit.RunStoppedException;
import io.leasekit.spring.call.AsyncCall.Beginning;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.policy.CallResult;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.spring.schedule.Firing;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Calls methods that return a publisher, and suspending functions, whose results Spring turns into publishers. Each
 * subscription is a separate call with its own key and lease. This class is loaded at the first call of a reactive
 * method, because Reactor may be absent. Thread-safe.
 */
final class ReactiveCalls implements CallShell {

    private final LeaseCalls calls;

    ReactiveCalls(LeaseCalls calls) {
        this.calls = calls;
    }

    @Override
    public Object call(MethodInvocation invocation, LeasePolicy policy) {
        MethodInvocation template = CallShell.copy(invocation);
        CallResult result = policy.result();
        Flux<Object> guarded = Flux.deferContextual(context -> {
            MethodInvocation own = CallShell.copy(template);
            return flux(beginning(own, policy, context), own, policy);
        });
        Publisher<Object> returned = result.several() ? guarded : guarded.singleOrEmpty();
        return result.adapter() == null ? returned : result.adapter().fromPublisher(returned);
    }

    private static Flux<Object> flux(Mono<Beginning> beginning, MethodInvocation own, LeasePolicy policy) {
        return Flux.usingWhen(
                beginning,
                begun -> policy.result().several()
                        ? work(begun, own, policy)
                        : work(begun, own, policy).singleOrEmpty(),
                begun -> end(begun, AsyncCall::ended),
                (begun, failure) -> end(begun, call -> call.failed(failure)),
                begun -> end(begun, AsyncCall::cancelled));
    }

    private Mono<Beginning> beginning(MethodInvocation own, LeasePolicy policy, ContextView context) {
        CompletableFuture<Beginning> beginning = new CompletableFuture<>();
        // Spring calls the method once, and subscribes to the result at each firing.
        Firing firing = policy.once().firing();
        LeaseFrame outer = context.getOrDefault(LeaseFrame.CONTEXT_KEY, LeaseFrame.innermost());
        Observation observation = context.getOrDefault(ObservationThreadLocalAccessor.KEY, (Observation) null);
        Supplier<CallStart> start = () -> new CallStart(
                calls, own, policy, firing, outer, observation, (copy, call) -> later(copy, policy, call));
        AtomicBoolean taken = new AtomicBoolean();
        return Mono.<Beginning>create(sink -> {
                    pass(beginning, sink, taken);
                    AsyncCall.begin(start, parallel(), beginning);
                })
                .doOnNext(begun -> taken.set(true));
    }

    /** If a concurrent cancel makes the sink drop the {@link Beginning}, this method ends the call. */
    private static void pass(CompletableFuture<Beginning> beginning, MonoSink<Beginning> sink, AtomicBoolean taken) {
        // beginning.isCancelled() is also true if user code throws a CancellationException
        AtomicBoolean cancelled = new AtomicBoolean();
        sink.onCancel(() -> {
            cancelled.set(true);
            beginning.cancel(true);
        });
        var unused = beginning.whenComplete((begun, failure) -> {
            if (begun == null) {
                if (!cancelled.get()) {
                    sink.error(Objects.requireNonNull(failure));
                }
                return;
            }
            sink.success(begun);
            if (!taken.get()) {
                begun.discard();
            }
        });
    }

    /** Calls continue on Reactor's threads for non-blocking work, because the engine has few threads. */
    private static Executor parallel() {
        return RunOnce.onOrHere(task -> Schedulers.parallel().schedule(task));
    }

    /** Executes a run that has waited for its lease. */
    private void later(MethodInvocation own, LeasePolicy policy, LeaseCall call) {
        var unused = flux(Mono.just(new Beginning(new AsyncCall(call, parallel()), null)), own, policy)
                .subscribe(value -> {}, failure -> calls.logFailed(policy, failure));
    }

    private static Flux<Object> work(Beginning beginning, MethodInvocation own, LeasePolicy policy) {
        AsyncCall call = beginning.call();
        if (call == null) {
            return publisher(beginning.result(), policy, null);
        }
        GuardedPublisher work = new GuardedPublisher(Flux.defer(() -> proceed(own, policy, call)));
        if (policy.result().isCoroutine()) {
            call.stopsWith(work::left);
        }
        Flux<Object> guarded = call.held().endsAtLoss() ? untilLoss(work, call) : work;
        return Flux.concat(guarded, succeeded(call))
                .onErrorResume(RunStoppedException.class, failure -> stopped(call, failure))
                .contextWrite(context -> within(context, call));
    }

    /** If the caller is a scheduler, a call that the lease asked to stop ends without an error. */
    private static Mono<Object> stopped(AsyncCall call, RunStoppedException failure) {
        return Mono.fromCompletionStage(() -> call.failed(failure))
                .then(Mono.defer(() -> call.held().endsQuietly() ? Mono.empty() : Mono.error(failure)));
    }

    private static Mono<Object> succeeded(AsyncCall call) {
        return Mono.defer(() -> Mono.fromCompletionStage(call.succeeded()).then(Mono.empty()));
    }

    private static Context within(Context context, AsyncCall call) {
        Context framed = context.put(LeaseFrame.CONTEXT_KEY, call.held().frame());
        Observation work = call.held().work();
        return work == null || work.isNoop() ? framed : framed.put(ObservationThreadLocalAccessor.KEY, work);
    }

    private static Flux<Object> proceed(MethodInvocation own, LeasePolicy policy, AsyncCall call) {
        try {
            policy.parameters().set(own.getArguments(), call.held().lease());
            if (policy.result().kind() == CallResult.Kind.SUSPENDING) {
                Coroutines.frame(own.getArguments(), call);
            }
            return publisher(call.held().proceed(() -> CallShell.proceed(own)), policy, call);
        } catch (Throwable failure) {
            return Flux.error(failure);
        }
    }

    private static Flux<Object> publisher(@Nullable Object result, LeasePolicy policy, @Nullable AsyncCall call) {
        if (result == null) {
            return Flux.empty();
        }
        if (call != null && policy.result().isKotlinFlow()) {
            return Coroutines.flux(result, call);
        }
        if (policy.result().adapter() != null) {
            return Flux.from(policy.result().adapter().toPublisher(result));
        }
        return result instanceof Publisher<?> publisher ? Flux.from(publisher) : Flux.just(result);
    }

    /**
     * Returns a flux that cancels the work when the lease is lost, and then fails. If the lease is lost during the
     * subscription, the flux can fail before the subscription is cancelled.
     */
    private static Flux<Object> untilLoss(Flux<Object> work, AsyncCall call) {
        AtomicReference<@Nullable LeaseException> known = new AtomicReference<>();
        Flux<Object> unlessLost = Flux.defer(() -> known.get() == null ? work : Flux.empty());
        // takeUntilOther first subscribes to the loss signal, and then to the work. The loss signal is a value, because
        // an error would end the flux without cancelling the work.
        return unlessLost.takeUntilOther(loss(call).doOnNext(known::set)).concatWith(Mono.defer(() -> {
            LeaseException loss = known.get();
            return loss == null ? Mono.empty() : Mono.error(loss);
        }));
    }

    private static Mono<LeaseException> loss(AsyncCall call) {
        return Mono.create(sink -> {
            // Unlike confirmed(), ensureValid() blocks, and could wait for work of this same thread.
            Runnable removal = call.held()
                    .onLoss(() -> call.confirmed().whenComplete((valid, failure) -> {
                        if (failure instanceof LeaseException loss) {
                            sink.success(loss);
                        }
                    }));
            sink.onDispose(removal::run);
        });
    }

    private static Publisher<?> end(Beginning beginning, Function<AsyncCall, CompletionStage<Void>> how) {
        AsyncCall call = beginning.call();
        return call == null ? Mono.empty() : Mono.fromCompletionStage(how.apply(call));
    }
}
