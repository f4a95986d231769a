package io.leasekit.spring.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Wraps a user's publisher, whose subscribe, request and cancel may run any code. Without this class, a call would
 * never end after a {@link StackOverflowError}, which Reactor throws instead of signalling. Thread-safe.
 */
final class GuardedPublisher extends FluxOperator<Object, Object> {

    private final AtomicInteger threads = new AtomicInteger(); // number of threads in subscribe or request
    private final AtomicReference<@Nullable CompletableFuture<Void>> left =
            new AtomicReference<>(); // holds null while no caller of left() waits

    GuardedPublisher(Flux<Object> source) {
        super(source);
    }

    /** Waits for threads inside subscribe or request, because such a thread may have just begun a coroutine. */
    CompletionStage<Void> left() {
        if (threads.get() == 0) {
            return CompletableFuture.completedStage(null);
        }
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> known = left.compareAndExchange(null, fresh);
        if (threads.get() == 0) {
            // The last thread may have left while the field 'left' was still null.
            completeLeft();
        }
        // A slow leave() can complete the future of a later wait, so left() checks the threads again.
        return (known == null ? fresh : known).thenCompose(done -> left());
    }

    private void leave() {
        if (threads.decrementAndGet() == 0) {
            completeLeft();
        }
    }

    private void completeLeft() {
        CompletableFuture<Void> known = left.getAndSet(null);
        if (known != null) {
            known.complete(null);
        }
    }

    @Override
    public void subscribe(CoreSubscriber<? super Object> actual) {
        Signals signals = new Signals(actual);
        threads.incrementAndGet();
        try {
            source.subscribe(signals);
        } catch (Throwable e) {
            signals.fail(e);
        } finally {
            leave();
        }
    }

    private final class Signals implements CoreSubscriber<Object>, Subscription {

        private final CoreSubscriber<? super Object> actual;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable Subscription upstream;

        private Signals(CoreSubscriber<? super Object> actual) {
            this.actual = actual;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            actual.onSubscribe(this);
        }

        @Override
        public void onNext(Object value) {
            if (!ended.get()) {
                actual.onNext(value);
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (ended.compareAndSet(false, true)) {
                actual.onError(failure);
            } else {
                Operators.onErrorDropped(failure, currentContext());
            }
        }

        @Override
        public void onComplete() {
            if (ended.compareAndSet(false, true)) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long n) {
            Subscription known = upstream;
            if (known != null) {
                threads.incrementAndGet();
                try {
                    known.request(n);
                } catch (Throwable e) {
                    fail(e);
                } finally {
                    leave();
                }
            }
        }

        @Override
        public void cancel() {
            Subscription known = upstream;
            if (known != null) {
                try {
                    known.cancel();
                } catch (Throwable e) {
                    Operators.onErrorDropped(e, currentContext());
                }
            }
        }

        private void fail(Throwable thrown) {
            if (upstream == null) {
                Operators.error(actual, thrown);
            } else {
                cancel();
                onError(thrown);
            }
        }
    }
}
