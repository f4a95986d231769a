package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FiringAcquiresTest {

    private static final LeaseRequest REQUEST = LeaseRequest.of("key").waitFor(Duration.ofSeconds(10));

    private final FiringAcquires firings = new FiringAcquires();

    @Test
    void anAnswerIsPassedOn() {
        assertThat(firings.<String>call(() -> "lease")).isEqualTo("lease");
    }

    @Test
    void failuresBeforeTheCloseArePassedOn() {
        LeaseException failure = new LeaseException("Broken", null);

        assertThatThrownBy(() -> firings.call(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }

    @Test
    void aFiringThatBeginsAfterTheCloseDoesNotAsk() {
        List<LeaseRequest> asked = new ArrayList<>();
        LeaseManager manager = manager(request -> {
            asked.add(request);
            return CompletableFuture.completedFuture(Optional.empty());
        });
        firings.close();

        assertThatThrownBy(() -> firings.call(() -> asked.add(REQUEST)))
                .isInstanceOf(FiringAcquires.ClosingException.class);
        assertThatThrownBy(() -> firings.withoutThread(() -> manager.acquireAsync(REQUEST)))
                .isInstanceOf(FiringAcquires.ClosingException.class);
        assertThat(asked).isEmpty();
        assertThat(Thread.interrupted()).isFalse();

        firings.open();

        assertThat(firings.withoutThread(() -> manager.acquireAsync(REQUEST))).isCompleted();
    }

    @Test
    void aFailureAfterTheCloseIsNone() {
        LeaseException failure = new LeaseException("Lease manager is closed", null);
        assertThat(firings.refusal(failure)).isSameAs(failure);

        firings.close();

        assertThat(firings.refusal(failure)).isInstanceOf(FiringAcquires.ClosingException.class);
    }

    @Test
    void aFailureThatTheCloseCausedIsNone() {
        LeaseException failure = new LeaseException("Lease manager is closed", null);

        assertThatThrownBy(() -> firings.call(() -> {
                    firings.close();
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(firings.refusal(failure)).isInstanceOf(FiringAcquires.ClosingException.class);
        assertThat(Thread.interrupted()).as("left behind").isFalse();
    }

    @Test
    void theCloseEndsAWaitWithoutAThread() {
        CompletableFuture<Optional<Lease>> never = new CompletableFuture<>();

        CompletableFuture<Optional<Lease>> waiting = firings.withoutThread(() -> never);
        firings.close();

        assertThat(waiting).isCancelled();
        assertThat(firings.refusal(new CancellationException())).isInstanceOf(FiringAcquires.ClosingException.class);
    }

    @Test
    void theCloseEndsAWaitThatBeginsMeanwhile() {
        LeaseManager closing = manager(request -> {
            firings.close();
            return new CompletableFuture<>();
        });

        assertThat(firings.withoutThread(() -> closing.acquireAsync(REQUEST))).isCancelled();
    }

    @Test
    void anAnswerThatCameWithTheCloseIsPassedOnWithoutAnInterrupt() {
        String answer = firings.call(() -> {
            firings.close();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return "lease";
        });

        assertThat(answer).isEqualTo("lease");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void anErrorIsPassedOnAlsoWhileClosing() {
        IllegalStateException failure = new IllegalStateException("Broken");

        assertThatThrownBy(() -> firings.call(() -> {
                    firings.close();
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theCloseEndsAWaitOnAnotherThread() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread firing = new Thread(() -> {
            try {
                firings.call(() -> {
                    waiting.countDown();
                    return await(new CountDownLatch(1));
                });
            } catch (RuntimeException e) {
                ended.complete(e);
            }
        });
        firing.start();
        assertThat(waiting.await(10, TimeUnit.MINUTES)).isTrue();

        firings.close();

        assertThat(ended.get(10, TimeUnit.MINUTES)).isInstanceOf(LeaseInterruptedException.class);
        firing.join();
    }

    private static LeaseManager manager(Function<LeaseRequest, CompletableFuture<Optional<Lease>>> acquireAsync) {
        LeaseManager manager = mock(LeaseManager.class);
        when(manager.acquireAsync(any(LeaseRequest.class))).thenAnswer(call -> acquireAsync.apply(call.getArgument(0)));
        return manager;
    }

    private static Object await(CountDownLatch never) {
        try {
            never.await();
            return never;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseInterruptedException("Interrupted", e);
        }
    }
}
