package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.aop.LeasedBeans;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Calls whose observation handlers, filters or predicates fail: the call and its lease end as if there were none. */
@ExtendWith(OutputCaptureExtension.class)
class FailingHandlersTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Orders orders = beans.advise(new Orders());

    FailingHandlersTest() {
        beans.beanFactory.registerSingleton("observationRegistry", registry);
    }

    @AfterEach
    void close() {
        beans.close();
    }

    /** The steps of an observation at which code of the application runs. */
    enum Step {
        PREDICATE((registry, name) -> registry.observationConfig().observationPredicate((observation, context) -> {
            failIf(observation.equals(name));
            return true;
        })),
        START((registry, name) -> handle(registry, new Handler(name) {
            @Override
            public void onStart(Observation.Context context) {
                fail(context);
            }
        })),
        ERROR((registry, name) -> handle(registry, new Handler(name) {
            @Override
            public void onError(Observation.Context context) {
                fail(context);
            }
        })),
        SCOPE_OPENED((registry, name) -> handle(registry, new Handler(name) {
            @Override
            public void onScopeOpened(Observation.Context context) {
                fail(context);
            }
        })),
        SCOPE_CLOSED((registry, name) -> handle(registry, new Handler(name) {
            @Override
            public void onScopeClosed(Observation.Context context) {
                fail(context);
            }
        })),
        FILTER((registry, name) -> registry.observationConfig().observationFilter(context -> {
            failIf(name.equals(context.getName()));
            return context;
        })),
        STOP((registry, name) -> handle(registry, new Handler(name) {
            @Override
            public void onStop(Observation.Context context) {
                fail(context);
            }
        }));

        private final BiConsumer<ObservationRegistry, String> registration;

        Step(BiConsumer<ObservationRegistry, String> registration) {
            this.registration = registration;
        }

        private static void handle(ObservationRegistry registry, Handler handler) {
            registry.observationConfig().observationHandler(handler);
        }

        private static void failIf(boolean wanted) {
            if (wanted) {
                throw new NoSuchMethodError("a library of another version"); // an Error on purpose
            }
        }
    }

    private abstract static class Handler implements ObservationHandler<Observation.Context> {

        private final String name;

        private Handler(String name) {
            this.name = name;
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        void fail(Observation.Context context) {
            if (name.equals(context.getName())) {
                throw new IllegalStateException("handler");
            }
        }
    }

    private static Stream<Arguments> steps() {
        return Stream.of(CallSpans.ACQUIRE, CallSpans.WORK, CallSpans.RELEASE)
                .flatMap(name -> Stream.of(Step.values()).map(step -> Arguments.of(step, name)));
    }

    @ParameterizedTest
    @MethodSource("steps")
    void aBlockingCallEndsAndItsLeaseIsReleased(Step step, String name) {
        step.registration.accept(registry, name);

        assertThat(orders.ship(false)).isEqualTo("shipped");
        assertReleased();
        assertThatThrownBy(() -> orders.ship(true)).hasMessage("Broken");
        assertReleased();
    }

    @ParameterizedTest
    @MethodSource("steps")
    void aStageEndsAndItsLeaseIsReleased(Step step, String name) {
        step.registration.accept(registry, name);

        assertThat(orders.later(false)).succeedsWithin(SOON).isEqualTo("shipped");
        assertReleased();
        assertThat(orders.later(true))
                .failsWithin(SOON)
                .withThrowableThat()
                .havingRootCause()
                .withMessage("Broken");
        assertReleased();
    }

    @ParameterizedTest
    @MethodSource("steps")
    void aReactiveCallEndsAndItsLeaseIsReleased(Step step, String name) {
        step.registration.accept(registry, name);

        assertThat(orders.reactive(false).block(SOON)).isEqualTo("shipped");
        assertReleased();
        assertThatThrownBy(() -> orders.reactive(true).block(SOON)).hasMessage("Broken");
        assertReleased();
        assertThat(leftOnThreadsOfReactor()).containsOnly("nothing");
    }

    private void assertReleased() {
        beans.awaitFree("order");
        assertThat(left()).isEqualTo("nothing");
    }

    /** Returns the lease or observation that calls have left on this thread. */
    private String left() {
        return LeaseContext.find()
                .map(Object::toString)
                .orElseGet(() -> registry.getCurrentObservation() == null ? "nothing" : "an observation");
    }

    private List<String> leftOnThreadsOfReactor() {
        return Flux.range(0, 2 * Schedulers.DEFAULT_POOL_SIZE) // they take turns
                .flatMap(index -> Mono.fromCallable(this::left).subscribeOn(Schedulers.parallel()))
                .collectList()
                .block(SOON);
    }

    @Test
    void aCallUnderWayIsStillTheCurrentObservationOfItsCaller() {
        Step.SCOPE_OPENED.registration.accept(registry, CallSpans.WORK);
        Observation caller = Observation.start("caller", registry);

        try (Observation.Scope scope = caller.openScope()) {
            orders.ship(false);
            assertThat(registry.getCurrentObservationScope()).isSameAs(scope);
        }
    }

    @Test
    void theFirstFailureIsAWarning(CapturedOutput output) {
        Step.STOP.registration.accept(registry, CallSpans.WORK);

        orders.ship(false);
        orders.ship(false);

        assertThat(output.getOut().split("An observation handler, filter or predicate failed", -1))
                .hasSize(2);
        assertThat(output).contains("WARN", "IllegalStateException: handler").doesNotContain("could not be released");
    }

    static class Orders {

        @DistributedLease("order")
        public String ship(boolean broken) {
            if (broken) {
                throw new IllegalArgumentException("Broken");
            }
            return "shipped";
        }

        @DistributedLease("order")
        public CompletableFuture<String> later(boolean broken) {
            return CompletableFuture.completedFuture(ship(broken));
        }

        @DistributedLease("order")
        public Mono<String> reactive(boolean broken) {
            return Mono.just(ship(broken));
        }
    }
}
