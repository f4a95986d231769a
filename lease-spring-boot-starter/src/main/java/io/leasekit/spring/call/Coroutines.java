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
 * Puts the frame of a call into the context of coroutines, so that nested calls find the lease. This class is loaded
 * only for Kotlin code, because Kotlin's libraries may be absent.
 */
final class Coroutines {

    private Coroutines() {}

    /** The continuation is the last argument of a suspending function. */
    @SuppressWarnings("unchecked")
    static void frame(@Nullable Object[] arguments, AsyncCall call) {
        int last = arguments.length - 1;
        if (arguments[last] instanceof Continuation<?> continuation) {
            arguments[last] = new Framed((Continuation<Object>) continuation, element(call));
        }
    }

    @SuppressWarnings("unchecked")
    static Flux<Object> flux(Object flow, AsyncCall call) {
        return ReactorFlowKt.asFlux((Flow<Object>) flow, element(call));
    }

    private static FrameElement element(AsyncCall call) {
        FrameElement element = new FrameElement(call.held().frame());
        call.stopsWith(element::completion);
        return element;
    }

    /** Adds the frame to the context with which Spring runs the coroutine. */
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

    /** Makes the call's frame the innermost frame of each thread while the thread runs the coroutine. */
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
            // A job waits for its children, so the set needs only root jobs. Advice that subscribes again starts
            // another root job, even while a cancelled attempt still runs.
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
         * Returns a stage that completes when all cancelled coroutines of this call have ended. Callers must wait for
         * {@link GuardedPublisher#left} first, because the job of a beginning coroutine may not be known yet.
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
