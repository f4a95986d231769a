package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FiringAcquiresTest {

    private final FiringAcquires firings = new FiringAcquires();

    @Test
    void anAnswerIsPassedOn() {
        assertThat(firings.<String>call(closing -> "lease")).isEqualTo("lease");
    }

    @Test
    void failuresBeforeTheCloseArePassedOn() {
        LeaseException failure = new LeaseException("Broken", null);

        assertThatThrownBy(() -> firings.call(closing -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }

    @Test
    void aFiringThatBeginsAfterTheCloseMustNotWait() {
        assertThat(firings.<Boolean>call(closing -> closing)).isFalse();

        firings.close();

        assertThat(firings.<Boolean>call(closing -> closing)).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aFailureAfterTheCloseIsNone() {
        firings.close();

        assertThatThrownBy(() -> firings.call(closing -> {
                    throw new LeaseException("Lease manager is closed", null);
                }))
                .isInstanceOf(FiringAcquires.ClosingException.class);
    }

    @Test
    void aFailureThatTheCloseCausedIsNone() {
        assertThatThrownBy(() -> firings.call(closing -> {
                    firings.close();
                    throw new LeaseException("Lease manager is closed", null);
                }))
                .isInstanceOf(FiringAcquires.ClosingException.class);
        assertThat(Thread.interrupted()).as("left behind").isFalse();
    }

    @Test
    void anAnswerThatCameWithTheCloseIsPassedOnWithoutAnInterrupt() {
        String answer = firings.call(closing -> {
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

        assertThatThrownBy(() -> firings.call(closing -> {
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
                firings.call(closing -> {
                    waiting.countDown();
                    return await(new CountDownLatch(1));
                });
            } catch (RuntimeException e) {
                ended.complete(e);
            }
        });
        firing.start();
        assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();

        firings.close();

        assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(FiringAcquires.ClosingException.class);
        firing.join();
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
