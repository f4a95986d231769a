package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.LeasedBeans;
import io.reactivex.rxjava3.core.Flowable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Results and keys of users' methods that throw, and subscribers that cancel during the grant: no lease is leaked. */
@Timeout(600)
class BrokenLeasesTest {

    /** One in fourteen left a lease behind. */
    private static final int RACES = 500;

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Orders orders = beans.advise(new Orders());

    BrokenLeasesTest() {
        beans.beanFactory.registerSingleton("slow", decorated(LeaseManager.class, (proxy, method, arguments) -> {
            Object result = method.invoke(beans.own, arguments);
            return result instanceof Lease lease
                    ? slow(lease)
                    : result instanceof CompletableFuture<?> future ? slow(future) : result;
        }));
    }

    private Runnable onGrant = () -> {};

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void aStageThatTakesNoDependentFailsTheCall() {
        CompletionStage<Void> broken = new CompletableFuture<>() {
            @Override
            public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
                throw new UnsupportedOperationException("by design");
            }
        };

        assertThat(orders.later(broken).toCompletableFuture())
                .failsWithin(Duration.ofMinutes(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(UnsupportedOperationException.class);

        assertReleased("later");
    }

    @Test
    void aNestedCallWhoseRunCannotBeNamedLeavesTheLease() {
        Orders inner = orders;
        Object unnamed = new Object() {
            @Override
            public String toString() {
                throw new StackOverflowError("by design");
            }
        };

        assertThatThrownBy(() -> orders.once("day", () -> inner.once(unnamed, () -> {})))
                .isInstanceOf(StackOverflowError.class);

        assertReleased("once");
    }

    @Test
    void aLeaseThatIsGrantedWhileItsSubscriberCancelsIsReleased() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < RACES; i++) {
                CountDownLatch granted = new CountDownLatch(1);
                AtomicBoolean goesOn = new AtomicBoolean();
                onGrant = () -> {
                    granted.countDown();
                    while (!goesOn.get()) {
                        Thread.onSpinWait();
                    }
                };
                String key = "raced-" + i;
                BaseSubscriber<String> subscriber = new BaseSubscriber<>() {};
                Future<?> call = other.submit(() -> orders.subscribed(key).subscribe(subscriber));
                granted.await();

                goesOn.set(true);
                for (int turns = i % 200; turns > 0; turns--) {
                    Thread.onSpinWait();
                }
                subscriber.cancel();
                call.get();
            }
        } finally {
            other.shutdown();
        }

        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> beans.own.held().isEmpty());
    }

    static Stream<Arguments> fatal() {
        return Stream.of(
                Arguments.of("map", Mono.just("value").map(value -> fail(new NoClassDefFoundError("by design")))),
                Arguments.of("defer", Mono.defer(() -> Mono.just(fail(new StackOverflowError("by design"))))),
                Arguments.of("flux", Flux.just(1, 2).map(value -> fail(new OutOfMemoryError("by design")))),
                Arguments.of(
                        "later",
                        Flux.just(1, 2).map(value -> value == 1 ? "one" : fail(new LinkageError("by design")))),
                Arguments.of(
                        "RxJava", Flowable.just(1).map(value -> fail(new ExceptionInInitializerError("by design")))));
    }

    private static String fail(Error error) {
        throw error;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fatal")
    void anErrorThatReactorDoesNotSignalEndsTheCall(String name, Publisher<String> work) {
        CompletableFuture<String> last =
                Flux.from(orders.published(work)).last().toFuture();

        assertThat(last)
                .failsWithin(Duration.ofMinutes(10))
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOf(Error.class)
                .withMessage("by design");
        assertReleased("published");
    }

    @Test
    void aPublisherWhoseCancelThrowsIsCancelled() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Disposable call = Flux.from(orders.published(Mono.<String>never()
                        .doOnRequest(requested -> begun.countDown())
                        .doOnCancel(() -> fail(new NoClassDefFoundError("by design")))))
                .subscribe();
        assertThat(begun.await(10, TimeUnit.MINUTES)).isTrue();

        call.dispose();

        assertReleased("published");
    }

    private void assertReleased(String key) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> beans.own.held().isEmpty() && beans.isFree(key));
    }

    private Lease slow(Lease lease) {
        return decorated(Lease.class, (proxy, method, arguments) -> {
            onGrant.run();
            return method.invoke(lease, arguments);
        });
    }

    private CompletableFuture<Optional<Lease>> slow(CompletableFuture<?> acquiring) {
        return CompletableFuture.completedFuture(((Optional<?>) acquiring.join()).map(lease -> slow((Lease) lease)));
    }

    private static <T> T decorated(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    static class Orders {

        @DistributedLease(key = "later", manager = "leaseManager")
        public CompletionStage<Void> later(CompletionStage<Void> work) {
            return work;
        }

        @DistributedLease(key = "#{#key}", manager = "slow")
        public Mono<String> subscribed(String key) {
            return Mono.just("done");
        }

        @DistributedLease(key = "published", manager = "leaseManager")
        public Publisher<String> published(Publisher<String> work) {
            return work;
        }

        @DistributedLease(
                key = "once",
                once = "#{'of ' + #day}",
                onceOrder = OnceOrder.GROWING,
                manager = "leaseManager")
        public void once(Object day, Runnable work) {
            work.run();
        }
    }
}
