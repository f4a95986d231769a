package io.leasekit.spring.aop;

import io.leasekit.spring.context.LeaseFrame;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Carries the innermost call in the coroutine context. Loaded only for Kotlin, because its libraries may be absent. */
final class Coroutines {

    private Coroutines() {}

    /** Adds the frame to the continuation, which is the last argument of a suspending function. */
    @SuppressWarnings("unchecked")
    static void frame(@Nullable Object[] arguments, LeaseFrame frame) {
        int last = arguments.length - 1;
        if (arguments[last] instanceof Continuation<?> continuation) {
            arguments[last] = new Framed((Continuation<Object>) continuation, frame);
        }
    }

    /** Converts a flow whose coroutines run under the frame. */
    @SuppressWarnings("unchecked")
    static Flux<Object> flux(Object flow, LeaseFrame frame) {
        return ReactorFlowKt.asFlux((Flow<Object>) flow, new FrameElement(frame));
    }

    /** A continuation of which Spring only reads the context. */
    private record Framed(Continuation<Object> continuation, LeaseFrame frame) implements Continuation<Object> {

        @Override
        public CoroutineContext getContext() {
            return continuation.getContext().plus(new FrameElement(frame));
        }

        @Override
        public void resumeWith(Object result) {
            continuation.resumeWith(result);
        }
    }

    /** Sets the frame on each thread that runs the coroutine. */
    private static final class FrameElement extends AbstractCoroutineContextElement
            implements ThreadContextElement<@Nullable LeaseFrame> {

        private static final Key<FrameElement> KEY = new Key<>() {};

        private final LeaseFrame frame;

        FrameElement(LeaseFrame frame) {
            super(KEY);
            this.frame = frame;
        }

        @Override
        public @Nullable LeaseFrame updateThreadContext(CoroutineContext context) {
            return LeaseFrame.replaceInnermost(frame);
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, @Nullable LeaseFrame before) {
            LeaseFrame.replaceInnermost(before);
        }
    }
}
