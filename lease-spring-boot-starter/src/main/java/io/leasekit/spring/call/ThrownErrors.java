package io.leasekit.spring.call;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Signals what a publisher of users throws out of its subscribe or a request, and cancels the publisher; drops what its cancel
 * throws. Reactor and RxJava throw errors such as {@link StackOverflowError} and {@link NoClassDefFoundError} in place of a
 * signal, so without this, a call would never end. If a thread of the publisher itself throws such an error, nobody learns of it.
 */
final class ThrownErrors extends FluxOperator<Object, Object> {

    ThrownErrors(Flux<Object> source) {
        super(source);
    }

    @Override
    public void subscribe(CoreSubscriber<? super Object> actual) {
        Signals signals = new Signals(actual);
        try {
            source.subscribe(signals);
        } catch (Throwable e) {
            signals.fail(e);
        }
    }

    private static final class Signals implements CoreSubscriber<Object>, Subscription {

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
                try {
                    known.request(n);
                } catch (Throwable e) {
                    fail(e);
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
