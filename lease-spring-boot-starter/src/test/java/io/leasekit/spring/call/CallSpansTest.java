package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.LeasedBeans;
import io.leasekit.spring.context.SharedLease;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Spans of a call under a lease. */
class CallSpansTest {

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<String> steps = Collections.synchronizedList(new ArrayList<>());
    private final List<Observation.Context> ended = Collections.synchronizedList(new ArrayList<>());
    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Orders orders = beans.advise(new Orders(registry));

    CallSpansTest() {
        beans.beanFactory.registerSingleton("observationRegistry", registry);
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                steps.add("start " + context.getName());
            }

            @Override
            public void onStop(Observation.Context context) {
                steps.add("stop " + context.getName());
                ended.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void close() {
        beans.close();
    }

    private Observation.Context ended(String name) {
        return ended.stream()
                .filter(context -> context.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void acquireWorkAndReleaseOneAfterTheOther() {
        orders.ship(17);

        assertThat(steps)
                .containsExactly(
                        "start lease.call.acquire",
                        "stop lease.call.acquire",
                        "start lease.call.work",
                        "start within",
                        "stop within",
                        "stop lease.call.work",
                        "start lease.call.release",
                        "stop lease.call.release");
        assertThat(ended("within").getParentObservation().getContextView()).isSameAs(ended("lease.call.work"));
        assertThat(registry.getCurrentObservation()).isNull();
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aReleaseInTheBackgroundThatFailsIsLogged(CapturedOutput output) {
        Lease failing = (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> method.getName().equals("toString")
                        ? "Lease 'order-17'"
                        : CompletableFuture.failedFuture(new IllegalStateException("by design")));
        Supplier<SharedLease> held = () -> new SharedLease(
                beans.own, failing, new CallRelease(new CallSpans(registry, null, LeaseRequest.of("order-17")), true));

        held.get().leave();
        assertThat(held.get().leaveAsync()).isCompleted();

        assertThat(output.getOut().split("Lease 'order-17' could not be released: by design", -1))
                .hasSize(3);
    }

    @Test
    void allThreeAreChildrenOfTheCallers() {
        Observation caller = Observation.createNotStarted("caller", registry);
        caller.observe(() -> orders.ship(17));

        assertThat(ended)
                .filteredOn(context -> context.getName().startsWith("lease."))
                .hasSize(3)
                .allSatisfy(
                        context -> assertThat(context.getParentObservation()).isSameAs(caller));
    }

    @Test
    void theNameIsForMetersTheKeyOnlyForTheTrace() {
        orders.ship(17);

        assertThat(ended)
                .filteredOn(context -> context.getName().startsWith("lease."))
                .allSatisfy(context -> {
                    assertThat(context.getLowCardinalityKeyValue("lease.name").getValue())
                            .isEqualTo("order-#{#id}");
                    assertThat(context.getHighCardinalityKeyValue("lease.key").getValue())
                            .isEqualTo("order-17");
                });
        assertThat(ended("lease.call.acquire")
                        .getLowCardinalityKeyValue("lease.outcome")
                        .getValue())
                .isEqualTo("granted");
    }

    @Test
    void anUnavailableLeaseIsAnOutcomeAndNoError() {
        try (Lease theirs = beans.other.tryAcquire("order-17").orElseThrow()) {
            assertThatThrownBy(() -> orders.ship(17)).isNotNull();
            assertThat(theirs.isValid()).isTrue();
        }

        assertThat(steps).containsExactly("start lease.call.acquire", "stop lease.call.acquire");
        assertThat(ended.get(0).getError()).isNull();
        assertThat(ended.get(0).getLowCardinalityKeyValue("lease.outcome").getValue())
                .isEqualTo("unavailable");
    }

    @Test
    void aFiringThatTheEndOfTheApplicationCutsOffIsCancelledAndNoError() {
        FiringAcquires firings = new FiringAcquires();
        firings.close();
        Throwable closing = firings.refusal(new LeaseException("Lease manager is closed", null));
        CallSpans spans = new CallSpans(registry, null, LeaseRequest.of("order-17"));

        spans.beginAcquire();
        spans.refused(closing);

        assertThat(ended("lease.call.acquire").getError()).isNull();
        assertThat(ended("lease.call.acquire")
                        .getLowCardinalityKeyValue("lease.outcome")
                        .getValue())
                .isEqualTo("cancelled");
    }

    @Test
    void aHandlerThatThrowsAtTheEndOfAnObservationLeavesNoLease() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onError(Observation.Context context) {
                throw new NoSuchMethodError("a library of another version"); // an Error on purpose
            }

            @Override
            public void onStop(Observation.Context context) {
                throw new IllegalStateException("handler");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context.getName().startsWith("lease.");
            }
        });

        orders.ship(17);
        assertThatThrownBy(() -> orders.ship(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(orders.later(CompletableFuture.completedFuture(null))).succeedsWithin(Duration.ofMinutes(10));

        beans.awaitFree("order-17");
        beans.awaitFree("order--1");
        beans.awaitFree("later");
    }

    @Test
    void anAcquireUnderWayHasNoOutcome() {
        List<Boolean> outcomes = new ArrayList<>();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                outcomes.add(context.getLowCardinalityKeyValue("lease.outcome") != null);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context.getName().equals("lease.call.acquire");
            }
        });

        orders.ship(17);

        assertThat(outcomes).containsExactly(false);
    }

    @Test
    void aFailingMethodIsAnErrorOfTheWork() {
        assertThatThrownBy(() -> orders.ship(-1)).isInstanceOf(IllegalArgumentException.class);

        assertThat(ended("lease.call.work").getError()).isInstanceOf(IllegalArgumentException.class);
        assertThat(ended("lease.call.release").getError()).isNull();
    }

    @Test
    void theWorkOfAStageEndsWithIt() {
        CompletableFuture<Void> work = new CompletableFuture<>();
        CompletableFuture<Void> call = orders.later(work);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> steps.contains("start lease.call.work"));
        assertThat(steps).last().isEqualTo("start lease.call.work");
        assertThat(registry.getCurrentObservation()).isNull();

        work.completeExceptionally(new IllegalStateException("Broken"));
        assertThat(call).failsWithin(Duration.ofMinutes(10));
        // the caller waits for the release, but not longer than some seconds
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(steps).last().isEqualTo("stop lease.call.release"));
        assertThat(ended("lease.call.work").getError()).hasMessage("Broken");
    }

    @Test
    void anAcquireThatAManagerRefusesByThrowingEnds() {
        beans.beanFactory.destroySingleton("leaseManager");
        beans.beanFactory.registerSingleton("leaseManager", broken());

        assertThatThrownBy(() -> orders.later(new CompletableFuture<>()).join()).hasStackTraceContaining("Broken");

        assertThat(steps).containsExactly("start lease.call.acquire", "stop lease.call.acquire");
        assertThat(ended.get(0).getError()).hasMessage("Broken");
    }

    private static LeaseManager broken() {
        return (LeaseManager) Proxy.newProxyInstance(
                CallSpansTest.class.getClassLoader(),
                new Class<?>[] {LeaseManager.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("acquireAsync")) {
                        throw new IllegalStateException("Broken");
                    }
                    return null;
                });
    }

    @Test
    void aCallThatJoinsALeaseIsPartOfItsWork() {
        Orders inner = orders;
        orders.around(() -> inner.around(() -> {}));

        assertThat(steps).filteredOn(step -> step.startsWith("start lease.")).hasSize(3);
    }

    static class Orders {

        private final ObservationRegistry registry;

        Orders() {
            this(ObservationRegistry.NOOP);
        }

        Orders(ObservationRegistry registry) {
            this.registry = registry;
        }

        @DistributedLease("order-#{#id}")
        public void ship(int id) {
            if (id < 0) {
                throw new IllegalArgumentException("No such order");
            }
            Observation.createNotStarted("within", registry).observe(() -> {});
        }

        @DistributedLease("later")
        public CompletableFuture<Void> later(CompletableFuture<Void> work) {
            return work;
        }

        @DistributedLease("around")
        public void around(Runnable body) {
            body.run();
        }
    }
}
