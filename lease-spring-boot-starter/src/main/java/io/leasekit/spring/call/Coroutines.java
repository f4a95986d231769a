package io.leasekit.spring.call;

import io.leasekit.spring.context.LeaseFrame;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Carries the innermost call in the coroutine context. This class is loaded only for Kotlin code, because Kotlin's
 * libraries may be absent.
 */
final class Coroutines {

    private Coroutines() {}

    /** Adds the call's frame to the continuation, which is the last argument of a suspending function. */
    @SuppressWarnings("unchecked")
    static void frame(@Nullable Object[] arguments, AsyncCall call) {
        int last = arguments.length - 1;
        if (arguments[last] instanceof Continuation<?> continuation) {
            arguments[last] = new Framed((Continuation<Object>) continuation, element(call));
        }
    }

    /** Converts a flow to a {@code Flux}. The flow's coroutines run under the call's frame. */
    @SuppressWarnings("unchecked")
    static Flux<Object> flux(Object flow, AsyncCall call) {
        return ReactorFlowKt.asFlux((Flow<Object>) flow, element(call));
    }

    private static FrameElement element(AsyncCall call) {
        FrameElement element = new FrameElement(call.held().frame());
        call.stopsWith(element::completion);
        return element;
    }

    /** A continuation with the frame in its context. Spring passes only this context on to the coroutine. */
    private record Framed(Continuation<Object> continuation, FrameElement element) implements Continuation<Object> {

        @Override
        public CoroutineContext getContext() {
            return continuation.getContext().plus(element);
        }

        @Override
        public void resumeWith(Object result) {
            continuation.resumeWith(result);
        }
    }

    /** Sets the frame on each thread that runs the coroutine, and remembers the jobs that run under the frame. */
    private static final class FrameElement extends AbstractCoroutineContextElement
            implements ThreadContextElement<@Nullable LeaseFrame> {

        private static final Key<FrameElement> KEY = new Key<>() {};

        private final LeaseFrame frame;
        private final Set<Job> begun = ConcurrentHashMap.newKeySet();

        FrameElement(LeaseFrame frame) {
            super(KEY);
            this.frame = frame;
        }

        @Override
        public @Nullable LeaseFrame updateThreadContext(CoroutineContext context) {
            Job job = context.get(Job.Key);
            // a job without a parent is the root job of a call, and it waits for its children. There are several root
            // jobs if advice subscribes again, perhaps while a cancelled attempt is still cleaning up
            if (job != null && job.getParent() == null && begun.add(job)) {
                begun.removeIf(Job::isCompleted);
            }
            return LeaseFrame.replaceInnermost(frame);
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, @Nullable LeaseFrame before) {
            LeaseFrame.replaceInnermost(before);
        }

        /**
         * Returns a stage that completes when all cancelled coroutines have ended. Coroutines that were cancelled
         * before they began never begin. A coroutine that is just beginning may not be among the known jobs yet, so
         * callers wait for {@link GuardedPublisher#left} first. The stage does not wait for coroutines that the method
         * has left running and nobody has cancelled.
         */
        CompletionStage<Void> completion() {
            return CompletableFuture.allOf(begun.stream()
                    .filter(Job::isCancelled)
                    .map(FrameElement::completion)
                    .toArray(CompletableFuture<?>[]::new));
        }

        private static CompletableFuture<Void> completion(Job job) {
            CompletableFuture<Void> completion = new CompletableFuture<>();
            job.invokeOnCompletion(failure -> {
                completion.complete(null);
                return Unit.INSTANCE;
            });
            return completion;
        }
    }
}
