package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.EngineLease;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemRun;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.spring.aop.LeasedBeans;
import io.micrometer.observation.Observation;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Methods that return publishers. */
@Tag("boot3")
@Timeout(600)
class ReactiveMethodsTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final LeasedBeans beans = new LeasedBeans(store);
    private final Jobs jobs = beans.advise(new Jobs());

    ReactiveMethodsTest() {
        beans.beanFactory.registerSingleton(
                "handler", (LeaseUnavailableHandler) call -> Mono.just("instead of " + call.key()));
        beans.beanFactory.registerSingleton("cancelledHandler", (LeaseUnavailableHandler) call -> {
            throw new CancellationException("work of the handler");
        });
        jobs.inject(jobs);
    }

    @AfterEach
    void close() {
        Hooks.disableAutomaticContextPropagation();
        beans.close();
    }

    @Test
    void theLeaseIsHeldFromTheSubscriptionToTheValueOfAMono() {
        Sinks.One<String> work = Sinks.one();
        Mono<String> call = jobs.mono(work);
        assertThat(store.item("mono")).isEmpty();

        Mono<String> result = call.cache();
        Disposable subscription = result.subscribe();
        awaitHeld("mono");
        work.tryEmitValue("done");

        assertThat(result.block(SOON)).isEqualTo("done");
        beans.awaitFree("mono");
        assertThat(subscription.isDisposed()).isTrue();
    }

    @Test
    void theLeaseOfAFluxIsHeldToItsEnd() {
        Sinks.Many<Integer> work = Sinks.many().unicast().onBackpressureBuffer();
        List<Integer> values = Collections.synchronizedList(new ArrayList<>());
        Mono<Void> end = jobs.flux(work).doOnNext(values::add).then().cache();
        Disposable subscription = end.subscribe();
        awaitHeld("flux");

        work.tryEmitNext(1);
        Awaitility.await().atMost(SOON).until(() -> values.equals(List.of(1)));
        assertThat(beans.isFree("flux")).isFalse();
        work.tryEmitComplete();

        end.block(SOON);
        beans.awaitFree("flux");
        assertThat(subscription.isDisposed()).isTrue();
    }

    @Test
    void aFailureIsTheCallersAndEndsTheLease() {
        assertThatThrownBy(() -> jobs.failing(new AtomicInteger()).block(SOON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempt 1");
        beans.awaitFree("failing");
    }

    @Test
    void aMethodThatThrowsItselfFailsTheSubscription() {
        Mono<String> call = jobs.throwing();

        assertThatThrownBy(() -> call.block(SOON)).isInstanceOf(IllegalArgumentException.class);
        beans.awaitFree("throwing");
    }

    @Test
    void aCancelEndsTheLease() {
        Disposable subscription = jobs.mono(Sinks.one()).subscribe();
        awaitHeld("mono");

        subscription.dispose();

        beans.awaitFree("mono");
    }

    @Test
    void eachSubscriptionAndEachRetryIsACallWithItsOwnLease() {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger attempts = new AtomicInteger();
        Mono<String> call = jobs.failing(attempts).doOnError(failure -> tokens.add(token("failing")));

        assertThatThrownBy(() -> call.retry(2).block(SOON)).hasMessage("attempt 3");

        assertThat(tokens).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void theKeyIsResolvedForEachSubscription() {
        Mono<String> call = jobs.byCounter();

        assertThat(call.block(SOON)).isEqualTo("key-1");
        assertThat(call.block(SOON)).isEqualTo("key-2");
    }

    @Test
    void theReactorContextHasTheLeaseAfterAHop() {
        assertThat(jobs.fromContext().block(SOON)).isEqualTo("context");
    }

    @Test
    void threadsHaveTheLeaseAfterAHopIfReactorPropagatesContexts() {
        Hooks.enableAutomaticContextPropagation();

        assertThat(jobs.fromThread().block(SOON)).isEqualTo("thread");
        assertThat(LeaseContext.find()).isEmpty();
    }

    @Test
    void aNestedCallForTheSameKeyJoinsAfterAHop() {
        assertThat(jobs.outer().block(SOON)).isEqualTo("inner");
        beans.awaitFree("nested");
    }

    @Test
    void aReactiveCallWithinABlockingOneJoins() {
        assertThat(jobs.blockingAround()).isEqualTo("inner");
        beans.awaitFree("nested");
    }

    @Test
    void aContextCarriedOutOfACallJoinsNothing() {
        Mono<String> escaped = jobs.escaping().block(SOON);

        long first = token("nested");

        assertThat(escaped.block(SOON)).isEqualTo("inner");
        assertThat(token("nested")).isGreaterThan(first);
    }

    @Test
    void theLeaseParameterIsSetForEachSubscription() {
        Mono<Long> call = jobs.withLease(null);

        assertThat(call.block(SOON)).isEqualTo(token("parameter"));
        assertThat(call.block(SOON)).isEqualTo(token("parameter"));
    }

    @Test
    void aHeldLeaseFailsTheSubscriptionWithItsHolder() {
        try (Lease theirs = beans.other.tryAcquire("mono").orElseThrow()) {
            assertThatThrownBy(() -> jobs.mono(Sinks.one()).block(SOON))
                    .isInstanceOf(LeaseUnavailableException.class)
                    .hasMessageContaining("owner 'other'");
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aSkippedCallIsEmptyAndCounted() {
        try (Lease theirs = beans.other.tryAcquire("skipped").orElseThrow()) {
            assertThat(jobs.skipped().blockOptional(SOON)).isEmpty();
            assertThat(jobs.skippedFlux().collectList().block(SOON)).isEmpty();
            assertThat(theirs.isValid()).isTrue();
        }
        assertThat(beans.advisor.methods())
                .filteredOn(method -> method.skippedUnavailable() == 1)
                .hasSize(2);
    }

    @Test
    void aWaitingSubscriptionGetsTheLeaseWhenItIsFree() {
        Lease theirs = beans.other.tryAcquire("waiting").orElseThrow();
        Mono<String> call = jobs.waiting().cache();
        Disposable subscription = call.subscribe();
        Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().size() == 1);

        theirs.close();

        assertThat(call.block(SOON)).isEqualTo("waited");
        assertThat(subscription.isDisposed()).isTrue();
    }

    @Test
    void aCancelOfAWaitingSubscriptionEndsTheWait() {
        try (Lease theirs = beans.other.tryAcquire("waiting").orElseThrow()) {
            Disposable subscription = jobs.waiting().subscribe();
            Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().size() == 1);

            subscription.dispose();

            Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().isEmpty()); // a sender may be in a step
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aHandlerBeanDecidesWithAPublisher() {
        try (Lease theirs = beans.other.tryAcquire("handled").orElseThrow()) {
            assertThat(jobs.handled().block(SOON)).isEqualTo("instead of handled");
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aHandlerThatWasCancelledFailsTheSubscription() {
        try (Lease theirs = beans.other.tryAcquire("handled").orElseThrow()) {
            assertThatThrownBy(() -> jobs.handledByCancelled().block(SOON))
                    .isInstanceOf(CancellationException.class)
                    .hasMessage("work of the handler");
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aLossCancelsTheWorkOnAThreadOfReactor() {
        CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        beans.beanFactory.registerSingleton("lossy", manager(lost, confirmed));
        CompletableFuture<Void> started = new CompletableFuture<>();
        CompletableFuture<String> thread = new CompletableFuture<>();
        Mono<String> call = jobs.interrupted(() -> started.complete(null), () -> {
            thread.complete(Thread.currentThread().getName());
            throw new NoClassDefFoundError("a cancel that throws, by design");
        });
        CompletableFuture<String> result = call.toFuture();
        assertThat(started).succeedsWithin(SOON);

        lost.complete(LeaseLossReason.TAKEN);
        // on this thread, which stands for one that renews leases
        confirmed.completeExceptionally(new LeaseLostException("lost by design", LeaseLossReason.TAKEN));

        assertThat(thread).succeedsWithin(SOON).asString().startsWith("parallel-");
        assertThat(result)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseThatIsLostBeforeTheWorkBeginsStartsNone() {
        beans.beanFactory.registerSingleton(
                "lossy",
                manager(
                        CompletableFuture.completedFuture(LeaseLossReason.TAKEN),
                        CompletableFuture.failedFuture(
                                new LeaseLostException("lost by design", LeaseLossReason.TAKEN))));
        List<String> steps = new CopyOnWriteArrayList<>();

        assertThatThrownBy(() -> jobs.interrupted(() -> steps.add("subscribed"), () -> steps.add("cancelled"))
                        .block(SOON))
                .isInstanceOf(LeaseLostException.class);

        assertThat(steps).isEmpty();
    }

    /** Returns a manager whose leases are lost, and known to be so, when these futures complete. */
    private LeaseManager manager(CompletableFuture<LeaseLossReason> lost, CompletableFuture<Void> confirmed) {
        return proxy(
                (proxy, method, arguments) -> {
                    Object result = method.invoke(beans.own, arguments);
                    return result instanceof CompletableFuture<?> acquiring
                            ? acquiring.thenApply(
                                    lease -> ((Optional<?>) lease).map(own -> lossy(own, lost, confirmed)))
                            : result;
                },
                LeaseManager.class);
    }

    private static Lease lossy(
            Object lease, CompletableFuture<LeaseLossReason> lost, CompletableFuture<Void> confirmed) {
        return proxy(
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "lost" -> lost;
                    case "confirmed" -> confirmed;
                    default -> method.invoke(lease, arguments);
                },
                Lease.class,
                EngineLease.class);
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(InvocationHandler handler, Class<?>... types) {
        return (T) Proxy.newProxyInstance(ReactiveMethodsTest.class.getClassLoader(), types, handler);
    }

    @Test
    void aRunIsDoneOnceAndACancelLeavesItOpen() {
        Disposable cut = jobs.once("monday", Mono.never()).subscribe();
        awaitHeld("once");
        cut.dispose();
        beans.awaitFree("once");

        assertThat(jobs.once("monday", Mono.just("ran")).block(SOON)).isEqualTo("ran");
        assertThat(jobs.once("monday", Mono.just("again")).blockOptional(SOON)).isEmpty();
        Awaitility.await()
                .atMost(SOON)
                .until(() -> store.items().values().stream()
                        .anyMatch(item -> ItemRun.of(item.records()) != null
                                && LeaseRunOutcome.SUCCEEDED
                                        .name()
                                        .equals(ItemRun.of(item.records()).outcome())));
    }

    @Test
    void severalKeysAreOneLease() {
        Sinks.One<String> work = Sinks.one();
        Disposable subscription = jobs.several(work).subscribe();
        awaitHeld("one");

        assertThat(beans.isFree("two")).isFalse();
        subscription.dispose();
    }

    @Test
    void theObservationsAreChildrenOfTheCallersAndEnclosePartsOfTheWork() {
        TestObservationRegistry registry = TestObservationRegistry.create();
        beans.beanFactory.registerSingleton("observationRegistry", registry);
        Observation caller = Observation.start("caller", registry);

        String parent = jobs.observed()
                .contextWrite(context -> context.put("micrometer.observation", caller))
                .block(SOON);
        caller.stop();

        assertThat(parent).isEqualTo(CallSpans.WORK);
        for (String name : List.of(CallSpans.ACQUIRE, CallSpans.WORK, CallSpans.RELEASE)) {
            TestObservationRegistryAssert.assertThat(registry)
                    .hasObservationWithNameEqualTo(name)
                    .that()
                    .hasBeenStopped()
                    .hasParentObservationEqualTo(caller);
        }
    }

    static Stream<String> libraries() {
        return Stream.of(
                "single", "maybe", "completable", "observable", "flowable", "uni", "multi", "jdk", "publisher");
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void publishersOfOtherLibrariesAreGuardedToo(String method) throws Exception {
        Object result = Jobs.class.getMethod(method).invoke(jobs);

        assertThat(store.item(method)).as("before the subscription").isEmpty();
        Publisher<Object> publisher = ReactiveAdapterRegistry.getSharedInstance()
                .getAdapter(Jobs.class.getMethod(method).getReturnType())
                .toPublisher(result);
        Flux.from(publisher).collectList().block(SOON);

        assertThat(store.item(method)).isPresent();
        assertThat(jobs.heldDuring()).containsExactly(method);
        beans.awaitFree(method);
    }

    private long token(String key) {
        return store.item(key).orElseThrow().token();
    }

    private void awaitHeld(String key) {
        Awaitility.await()
                .atMost(SOON)
                .until(() ->
                        beans.own.held().stream().anyMatch(held -> held.key().equals(key)));
    }

    static class Jobs {

        private final List<String> heldDuring = new ArrayList<>();
        private Jobs self = this;
        private int counter;

        public void inject(Jobs advised) {
            self = advised;
        }

        public List<String> heldDuring() {
            return heldDuring;
        }

        public int count() {
            return ++counter;
        }

        @DistributedLease("mono")
        public Mono<String> mono(Sinks.One<String> work) {
            return work.asMono();
        }

        @DistributedLease("flux")
        public Flux<Integer> flux(Sinks.Many<Integer> work) {
            return work.asFlux();
        }

        @DistributedLease("failing")
        public Mono<String> failing(AtomicInteger attempts) {
            return Mono.error(new IllegalArgumentException("attempt " + attempts.incrementAndGet()));
        }

        @DistributedLease("throwing")
        public Mono<String> throwing() {
            throw new IllegalArgumentException();
        }

        @DistributedLease("key-#{target.count()}")
        public Mono<String> byCounter() {
            return ReactiveLeaseContext.current().map(LeaseContext::key);
        }

        @DistributedLease("context")
        public Mono<String> fromContext() {
            return Mono.delay(Duration.ofMillis(1), Schedulers.boundedElastic())
                    .flatMap(tick -> ReactiveLeaseContext.current())
                    .map(LeaseContext::key);
        }

        @DistributedLease("thread")
        public Mono<String> fromThread() {
            return Mono.delay(Duration.ofMillis(1), Schedulers.boundedElastic())
                    .map(tick -> LeaseContext.current().key());
        }

        @DistributedLease("nested")
        public Mono<String> outer() {
            return Mono.delay(Duration.ofMillis(1)).flatMap(tick -> self.inner());
        }

        @DistributedLease("nested")
        public Mono<String> inner() {
            return Mono.just("inner");
        }

        @DistributedLease("nested")
        public String blockingAround() {
            return self.inner().block(SOON);
        }

        public Mono<Mono<String>> escaping() {
            return self.escape().map(context -> self.inner().contextWrite(context));
        }

        @DistributedLease("nested")
        public Mono<Context> escape() {
            return Mono.deferContextual(context -> Mono.just(Context.of(context)));
        }

        @DistributedLease("parameter")
        public Mono<Long> withLease(Lease lease) {
            return Mono.just(lease.fencingToken());
        }

        @DistributedLease(key = "skipped", onUnavailable = OnUnavailable.SKIP)
        public Mono<String> skipped() {
            return Mono.just("ran");
        }

        @DistributedLease(key = "skipped", onUnavailable = OnUnavailable.SKIP)
        public Flux<String> skippedFlux() {
            return Flux.just("ran");
        }

        @DistributedLease(key = "waiting", waitFor = "1m")
        public Mono<String> waiting() {
            return Mono.just("waited");
        }

        @DistributedLease(key = "handled", unavailableHandler = "cancelledHandler")
        public Mono<String> handledByCancelled() {
            return Mono.error(new AssertionError("not reached"));
        }

        @DistributedLease(key = "interrupted", manager = "lossy", onLost = OnLost.INTERRUPT)
        public Mono<String> interrupted(Runnable started, Runnable onCancel) {
            return Mono.<String>never().doOnRequest(requested -> started.run()).doOnCancel(onCancel);
        }

        @DistributedLease(key = "handled", unavailableHandler = "handler")
        public Mono<String> handled() {
            return Mono.just("ran");
        }

        @DistributedLease(key = "once", once = "#{#day}", onUnavailable = OnUnavailable.SKIP)
        public Mono<String> once(String day, Mono<String> work) {
            return work;
        }

        @DistributedLease("one")
        @DistributedLease("two")
        public Mono<String> several(Sinks.One<String> work) {
            return work.asMono();
        }

        @DistributedLease("observed")
        public Mono<String> observed() {
            return Mono.deferContextual(context -> {
                Observation observation = context.get("micrometer.observation");
                return Mono.just(observation.getContext().getName());
            });
        }

        private String note() {
            heldDuring.add(LeaseContext.current().key());
            return "value";
        }

        @DistributedLease("single")
        public Single<String> single() {
            return Single.just(note());
        }

        @DistributedLease("maybe")
        public Maybe<String> maybe() {
            return Maybe.just(note());
        }

        @DistributedLease("completable")
        public Completable completable() {
            note();
            return Completable.complete();
        }

        @DistributedLease("observable")
        public Observable<String> observable() {
            return Observable.just(note(), "second");
        }

        @DistributedLease("flowable")
        public Flowable<String> flowable() {
            return Flowable.just(note(), "second");
        }

        @DistributedLease("uni")
        public Uni<String> uni() {
            return Uni.createFrom().item(note());
        }

        @DistributedLease("multi")
        public Multi<String> multi() {
            return Multi.createFrom().items(note(), "second");
        }

        @DistributedLease("jdk")
        public Flow.Publisher<String> jdk() {
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(note(), "second"));
        }

        @DistributedLease("publisher")
        public Publisher<String> publisher() {
            return Flux.just(note(), "second");
        }
    }
}
