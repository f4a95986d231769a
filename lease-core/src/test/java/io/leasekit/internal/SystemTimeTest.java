package io.leasekit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SystemTimeTest {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final SystemTime time = new SystemTime();

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void cancelledTimersAreRemovedBeforeTheyAreMany() {
        for (int i = 0; i < 100 * SystemTime.KEPT; i++) {
            time.schedule(HOUR, () -> {}).cancel();
            assertThat(time.queued()).isLessThanOrEqualTo(SystemTime.KEPT + 1);
        }
    }

    @Test
    void besidesManyTimersAsManyCancelledOnesAreKept() {
        int live = 4 * SystemTime.KEPT;
        for (int i = 0; i < live; i++) {
            time.schedule(HOUR, () -> {});
        }
        for (int i = 0; i < 100 * SystemTime.KEPT; i++) {
            time.schedule(HOUR, () -> {}).cancel();
            assertThat(time.queued()).isBetween(live, 2 * live + 2);
        }
    }

    @Test
    void cancelledTimersDoNotRunAndOthersDo() throws InterruptedException {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch othersRan = new CountDownLatch(1);
        List<String> seen = new CopyOnWriteArrayList<>();
        time.schedule(0, () -> await(mayGoOn)); // the only thread: what is due behind it has not begun
        EngineTime.Timer cancelled = time.schedule(0, () -> seen.add("cancelled"));
        time.schedule(1, () -> {
            seen.add("other");
            othersRan.countDown();
        });

        cancelled.cancel();
        mayGoOn.countDown();

        assertThat(othersRan.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly("other");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void timerThatWasCancelledKeepsNothingOfItsTask() {
        Object lease = new byte[1];
        WeakReference<Object> reference = new WeakReference<>(lease);
        EngineTime.Timer timer = schedule(lease);
        timer.cancel();
        lease = null;
        collectUntilCleared(reference);
        assertThat(time.queued()).as("it is still in the queue").isEqualTo(1);
        assertThat(reference.get()).isNull();
        timer.cancel(); // and so is the timer itself
    }

    private EngineTime.Timer schedule(Object lease) {
        return time.schedule(HOUR, () -> assertThat(lease).isNotNull());
    }

    private static void collectUntilCleared(WeakReference<Object> reference) {
        for (int i = 0; i < 20 && reference.get() != null; i++) {
            System.gc();
        }
    }

    @Test
    void waitBlocksTheThreadUntilTheFutureIsDone() throws Exception {
        CompletableFuture<String> future = new CompletableFuture<>();
        time.schedule(1_000_000, () -> future.complete("done"));

        assertThat(time.await(future)).isEqualTo("done");
        assertThat(time.await(future, 0)).isEqualTo("done");
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> time.await(new CompletableFuture<>(), 1));
    }
}
