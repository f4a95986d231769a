package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.EngineLease;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.aop.LeasedBeans;
import io.leasekit.spring.context.FakeLease;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockingCallTest {

    private final LeaseManager manager = LeasedBeans.manager(new InMemoryLeaseStore(), "own");
    private final FakeLease lease = new FakeLease();
    private final CallThreads threads = new CallThreads();

    @AfterEach
    void leaveNoInterruptBehind() {
        Thread.interrupted();
    }

    @Test
    void theResultIsReturnedAndTheLeaseReleased() throws Throwable {
        assertThat(run(OnLost.THROW, () -> "result")).isEqualTo("result");
        assertThat(lease.releases()).isOne();
    }

    @Test
    void aLossIsThrownInPlaceOfTheResult() throws Throwable {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> run(OnLost.THROW, () -> {
                    lease.lose(LeaseLossReason.TAKEN);
                    return "result";
                }))
                .extracting(LeaseLostException::reason)
                .isEqualTo(LeaseLossReason.TAKEN);
        assertThat(lease.releases()).isOne();
    }

    @Test
    void theMethodsOwnExceptionIsKeptAndTheLossSuppressedInIt() throws Throwable {
        Exception own = new Exception("own");

        fails(OnLost.THROW, own, () -> lease.lose(LeaseLossReason.EXPIRED));

        assertThat(own.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(lease.releases()).isOne();
    }

    @Test
    void notifyReturnsTheResultAfterALoss() throws Throwable {
        assertThat(run(OnLost.NOTIFY, () -> {
                    lease.lose(LeaseLossReason.EXPIRED);
                    return "result";
                }))
                .isEqualTo("result");
        assertThat(lease.releases()).isOne();
    }

    @Test
    void theLeaseIsHeldUntilAReturnedStageCompletes() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();

        assertThat(run(OnLost.NOTIFY, () -> stage)).isSameAs(stage);
        assertThat(lease.releases()).isZero();
        stage.completeExceptionally(new IllegalStateException());
        assertThat(lease.releases()).isOne();
    }

    @Test
    void interruptReachesTheThreadAndDoesNotOutliveTheCall() throws Throwable {
        fails(OnLost.INTERRUPT, new InterruptedException(), () -> {
            lease.lose(LeaseLossReason.EXPIRED);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anEarlierForeignInterruptIsKept() throws Throwable {
        fails(OnLost.INTERRUPT, new IllegalStateException(), () -> {
            Thread.currentThread().interrupt();
            lease.lose(LeaseLossReason.EXPIRED);
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void aLossAfterTheCallInterruptsNobody() throws Throwable {
        run(OnLost.INTERRUPT, () -> null);

        lease.lose(LeaseLossReason.CLOSED);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void theThreadThatCompletesAReturnedStageWaitsNeitherForARenewalNorForTheRelease() throws Throwable {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        List<String> steps = new ArrayList<>();
        SharedLease shared = new SharedLease(manager, unconfirmed(confirmed, steps), ending(steps));
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller =
                (CompletableFuture<?>) BlockingCalls.run(call(shared, OnLost.THROW), () -> stage, threads);

        stage.complete("result");
        assertThat(steps).isEmpty();
        assertThat(ofTheCaller).isNotDone();
        confirmed.complete(null); // as a reply does that this thread may deliver

        assertThat(ofTheCaller).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("result");
        assertThat(steps).containsExactly("releaseAsync");
    }

    /** Returns a lease of the engine that is valid again once this future completes. */
    private Lease unconfirmed(CompletableFuture<Void> confirmed, List<String> steps) {
        return (Lease) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Lease.class, EngineLease.class},
                (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "confirmed" -> {
                            return confirmed;
                        }
                        case "ensureValid" -> steps.add("ensureValid, which blocks");
                        default -> {}
                    }
                    return method.invoke(lease, arguments);
                });
    }

    private static SharedLease.Ending ending(List<String> steps) {
        return new SharedLease.Ending() {
            @Override
            public void release(Lease released) {
                steps.add("release, which may block");
            }

            @Override
            public CompletionStage<Void> releaseAsync(Lease released) {
                steps.add("releaseAsync");
                return released.releaseAsync();
            }
        };
    }

    @Test
    void aLossMakesTheCallersStageFail() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller = (CompletableFuture<?>) run(OnLost.THROW, () -> stage);
        lease.lose(LeaseLossReason.EXPIRED);
        assertThat(lease.releases()).isZero();

        stage.complete("result");

        assertThat(ofTheCaller)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseLostException.class);
        assertThat(lease.releases()).isOne();
    }

    @Test
    void withoutALossTheCallersStageHasTheResult() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller = (CompletableFuture<?>) run(OnLost.THROW, () -> stage);

        stage.complete("result");

        assertThat(ofTheCaller).isCompletedWithValueMatching("result"::equals);
    }

    @Test
    void theStagesOwnFailureIsKeptAndTheLossSuppressedInIt() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller = (CompletableFuture<?>) run(OnLost.THROW, () -> stage);
        lease.lose(LeaseLossReason.EXPIRED);
        Exception own = new Exception("own");

        stage.completeExceptionally(own);

        assertThat(ofTheCaller).failsWithin(Duration.ZERO).withThrowableThat().withCause(own);
        assertThat(own.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theCallersCancelReachesTheMethodsStage() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();

        ((CompletableFuture<?>) run(OnLost.THROW, () -> stage)).cancel(true);

        assertThat(stage).isCancelled();
        assertThat(lease.releases()).isOne();
    }

    @Test
    void aTimeoutOfTheCallersStageDoesNotKeepTheLeaseForEver() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller = (CompletableFuture<?>) run(OnLost.THROW, () -> stage);

        ofTheCaller.completeExceptionally(new TimeoutException()); // as orTimeout does
        assertThat(lease.releases()).isZero();
        stage.complete("late");

        assertThat(lease.releases()).isOne();
    }

    @Test
    void theCallersStageFailsWithTheMethodsFailureItselfAndNotWithAWrapper() throws Throwable {
        Exception own = new Exception("own");
        CompletableFuture<Object> seen = new CompletableFuture<>();

        ((CompletableFuture<?>) run(OnLost.THROW, () -> CompletableFuture.failedFuture(own)))
                .whenComplete((value, failure) -> seen.complete(failure));

        assertThat(seen).isCompletedWithValue(own);
    }

    @Test
    void notifyGivesTheCallerTheMethodsOwnStage() throws Throwable {
        CompletableFuture<String> stage = CompletableFuture.completedFuture("result");
        assertThat(run(OnLost.NOTIFY, () -> {
                    lease.lose(LeaseLossReason.EXPIRED);
                    return stage;
                }))
                .isSameAs(stage);
        assertThat(stage).isCompletedWithValue("result");
    }

    @Test
    void aLeaseThatIsOnlyUnconfirmedIsWaitedForAndNotLost() throws Throwable {
        assertThat(run(OnLost.THROW, () -> {
                    lease.unconfirm();
                    return "result";
                }))
                .isEqualTo("result");
    }

    @Test
    void aLossAfterTheMethodHasReturnedChangesNothing() throws Throwable {
        assertThat(run(OnLost.THROW, () -> "result")).isEqualTo("result");

        lease.lose(LeaseLossReason.EXPIRED);

        assertThat(lease.releases()).isOne();
    }

    /** A cooldown after work that never began would only keep others from doing it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyACallThatHasBegunLeavesTheHoldOfItsLease(boolean begins) throws Throwable {
        LeaseRequest request = LeaseRequest.of("cooled").cooldown(Duration.ofMinutes(5));
        CallSpans spans = new CallSpans(ObservationRegistry.NOOP, null, request);
        SharedLease shared = new SharedLease(manager, manager.acquire(request), new CallRelease(spans, false));
        LeaseFrame frame = LeaseFrame.within(null, shared, true);
        LeaseCall call = new LeaseCall(OnLost.THROW, shared, frame, spans, (failure, cutOff) -> {}, null);

        if (begins) {
            assertThat(BlockingCalls.run(call, () -> "result", threads)).isEqualTo("result");
        } else {
            assertThat(new AsyncCall(call, Runnable::run).cancelled()).succeedsWithin(Duration.ofMinutes(10));
        }

        assertThat(manager.tryAcquire("cooled").isPresent()).isNotEqualTo(begins);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLossOfAnotherLeaseReleasesNothingBeforeTheWorkHasStopped(boolean isUnconfirmed) {
        if (isUnconfirmed) {
            lease.unconfirm();
        }
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        SharedLease shared = new SharedLease(manager, lease, Lease::close);
        AsyncCall call = new AsyncCall(call(shared, OnLost.THROW), Runnable::run);
        call.stopsWith(() -> stopped);

        var unused = call.failed(new LeaseLostException("that of another key", LeaseLossReason.EXPIRED));
        assertThat(lease.releases()).isZero();

        stopped.complete(null);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> lease.releases() == 1);
    }

    @Test
    void aRunThatCannotBeRecordedEndsTheCallAsUsual() throws Throwable {
        SharedLease shared = new SharedLease(manager, lease, Lease::close);
        LeaseCall call = new LeaseCall(
                OnLost.THROW,
                shared,
                LeaseFrame.within(null, shared, true),
                null,
                (failure, cutOff) -> {
                    throw new IllegalStateException("no record");
                },
                null);

        assertThat(BlockingCalls.run(call, () -> "result", threads)).isEqualTo("result");

        assertThat(lease.releases()).isOne();
    }

    @Test
    void aCancelOfTheMethodsOwnStageCutsItsRunOff() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();
        List<Boolean> cutOffs = new ArrayList<>();
        SharedLease shared = new SharedLease(manager, lease, Lease::close);
        LeaseCall call = new LeaseCall(
                OnLost.NOTIFY,
                shared,
                LeaseFrame.within(null, shared, false),
                null,
                (failure, cutOff) -> cutOffs.add(cutOff),
                null);
        assertThat(BlockingCalls.run(call, () -> stage, threads)).isSameAs(stage);

        stage.cancel(true);

        assertThat(cutOffs).containsExactly(true);
        assertThat(lease.releases()).isOne();
    }

    private @Nullable Object run(OnLost onLost, LeaseCall.Body method) throws Throwable {
        return BlockingCalls.run(call(new SharedLease(manager, lease, Lease::close), onLost), method, threads);
    }

    /** Calls a method that fails after these steps, and asserts that the caller sees its failure. */
    private void fails(OnLost onLost, Exception failure, Runnable steps) {
        assertThatThrownBy(() -> run(onLost, () -> {
                    steps.run();
                    throw failure;
                }))
                .isSameAs(failure);
    }

    private static LeaseCall call(SharedLease shared, OnLost onLost) {
        LeaseFrame frame = LeaseFrame.within(null, shared, onLost != OnLost.NOTIFY);
        CallSpans spans = new CallSpans(ObservationRegistry.NOOP, null, LeaseRequest.of("key"));
        return new LeaseCall(onLost, shared, frame, spans, (failure, cutOff) -> {}, null);
    }
}
