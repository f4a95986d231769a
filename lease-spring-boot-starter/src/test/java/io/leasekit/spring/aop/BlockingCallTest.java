package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.FakeLease;
import io.leasekit.spring.context.LeaseHold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LeasedCallTest {

    private final LeaseManager manager =
            LeaseManager.builder(new InMemoryLeaseStore()).build();
    private final FakeLease lease = new FakeLease();

    @AfterEach
    void leaveNoInterruptBehind() {
        Thread.interrupted();
    }

    @Test
    void theResultIsReturnedAndTheLeaseReleased() {
        assertThat(call(OnLost.THROW).returned("result")).isEqualTo("result");
        assertThat(lease.releases()).isOne();
    }

    @Test
    void aLossIsThrownInPlaceOfTheResult() {
        LeasedCall call = call(OnLost.THROW);
        lease.lose(LeaseLossReason.TAKEN);

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> call.returned("result"))
                .extracting(LeaseLostException::reason)
                .isEqualTo(LeaseLossReason.TAKEN);
        assertThat(lease.releases()).isOne();
    }

    @Test
    void theMethodsOwnExceptionIsKeptAndTheLossSuppressedInIt() {
        LeasedCall call = call(OnLost.THROW);
        lease.lose(LeaseLossReason.EXPIRED);
        Exception own = new Exception("own");

        call.failed(own);

        assertThat(own.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(lease.releases()).isOne();
    }

    @Test
    void notifyReturnsTheResultAfterALoss() {
        LeasedCall call = call(OnLost.NOTIFY);
        lease.lose(LeaseLossReason.EXPIRED);

        assertThat(call.returned("result")).isEqualTo("result");
        assertThat(lease.releases()).isOne();
    }

    @Test
    void theLeaseIsHeldUntilAReturnedStageCompletes() {
        CompletableFuture<String> stage = new CompletableFuture<>();

        assertThat(call(OnLost.NOTIFY).returned(stage)).isSameAs(stage);
        assertThat(lease.releases()).isZero();
        stage.completeExceptionally(new IllegalStateException());
        assertThat(lease.releases()).isOne();
    }

    @Test
    void interruptReachesTheThreadAndDoesNotOutliveTheCall() {
        LeasedCall call = call(OnLost.INTERRUPT);
        lease.lose(LeaseLossReason.EXPIRED);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        call.failed(new InterruptedException());

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anEarlierForeignInterruptIsKept() {
        LeasedCall call = call(OnLost.INTERRUPT);
        Thread.currentThread().interrupt();
        lease.lose(LeaseLossReason.EXPIRED);

        call.failed(new IllegalStateException());

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void aLossAfterTheCallInterruptsNobody() {
        call(OnLost.INTERRUPT).returned(null);

        lease.lose(LeaseLossReason.CLOSED);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aLossMakesTheCallersStageFail() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller =
                (CompletableFuture<?>) call(OnLost.THROW).returned(stage);
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
    void withoutALossTheCallersStageHasTheResult() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller =
                (CompletableFuture<?>) call(OnLost.THROW).returned(stage);

        stage.complete("result");

        assertThat(ofTheCaller).isCompletedWithValueMatching("result"::equals);
    }

    @Test
    void theStagesOwnFailureIsKeptAndTheLossSuppressedInIt() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller =
                (CompletableFuture<?>) call(OnLost.THROW).returned(stage);
        lease.lose(LeaseLossReason.EXPIRED);
        Exception own = new Exception("own");

        stage.completeExceptionally(own);

        assertThat(ofTheCaller).failsWithin(Duration.ZERO).withThrowableThat().withCause(own);
        assertThat(own.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theCallersCancelReachesTheMethodsStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();

        ((CompletableFuture<?>) call(OnLost.THROW).returned(stage)).cancel(true);

        assertThat(stage).isCancelled();
        assertThat(lease.releases()).isOne();
    }

    @Test
    void aTimeoutOfTheCallersStageDoesNotKeepTheLeaseForEver() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<?> ofTheCaller =
                (CompletableFuture<?>) call(OnLost.THROW).returned(stage);

        ofTheCaller.completeExceptionally(new TimeoutException()); // as orTimeout does
        assertThat(lease.releases()).isZero();
        stage.complete("late");

        assertThat(lease.releases()).isOne();
    }

    @Test
    void theCallersStageFailsWithTheMethodsFailureItselfAndNotWithAWrapper() {
        Exception own = new Exception("own");
        CompletableFuture<Object> seen = new CompletableFuture<>();

        ((CompletableFuture<?>) call(OnLost.THROW).returned(CompletableFuture.failedFuture(own)))
                .whenComplete((value, failure) -> seen.complete(failure));

        assertThat(seen).isCompletedWithValue(own);
    }

    @Test
    void notifyGivesTheCallerTheMethodsOwnStage() {
        CompletableFuture<String> stage = CompletableFuture.completedFuture("result");
        LeasedCall call = call(OnLost.NOTIFY);
        lease.lose(LeaseLossReason.EXPIRED);

        assertThat(call.returned(stage)).isSameAs(stage);
        assertThat(stage).isCompletedWithValue("result");
    }

    @Test
    void aLeaseThatIsOnlyUnconfirmedIsWaitedForAndNotLost() {
        LeasedCall call = call(OnLost.THROW);
        lease.unconfirm();

        assertThat(call.returned("result")).isEqualTo("result");
    }

    @Test
    void aLossAfterTheMethodHasReturnedChangesNothing() {
        assertThat(call(OnLost.THROW).returned("result")).isEqualTo("result");

        lease.lose(LeaseLossReason.EXPIRED);

        assertThat(lease.releases()).isOne();
    }

    @Test
    void aFailingReleaseHidesNeitherTheResultNorTheMethodsException(CapturedOutput output) {
        LeaseHold broken = new LeaseHold(manager, lease, held -> {
            throw new IllegalStateException("no release");
        });
        Exception own = new Exception("own");

        assertThat(LeasedCall.begin(broken, OnLost.THROW, failure -> {}).returned("result"))
                .isEqualTo("result");
        LeasedCall.begin(
                        new LeaseHold(manager, lease, held -> {
                            throw new IllegalStateException("no release");
                        }),
                        OnLost.THROW,
                        failure -> {})
                .failed(own);

        assertThat(own.getSuppressed()).isEmpty();
        assertThat(output).contains("WARN").contains("could not be released").contains("no release");
    }

    private LeasedCall call(OnLost onLost) {
        return LeasedCall.begin(new LeaseHold(manager, lease, Lease::close), onLost, failure -> {});
    }
}
