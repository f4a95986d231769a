package io.leasekit.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeasedCallTest {

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

        assertThat(call(OnLost.THROW).returned(stage)).isSameAs(stage);
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

    private LeasedCall call(OnLost onLost) {
        return new LeasedCall(lease, onLost, Lease::close);
    }
}
