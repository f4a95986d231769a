package io.leasekit.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
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
    void cancelledTimersLeaveTheQueueAtOnce() {
        EngineTime.Timer first = time.schedule(HOUR, () -> {});
        for (int i = 0; i < 1_000; i++) {
            time.schedule(HOUR, () -> {}).cancel();
        }
        assertThat(time.queued()).isEqualTo(1);
        first.cancel();
        first.cancel();
        assertThat(time.queued()).isZero();
    }

    @Test
    void earlierTimerWakesTheThreadThatSleepsForALaterOne() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        time.schedule(1_000_000, first::countDown);
        time.schedule(HOUR, () -> {}).cancel();
        time.schedule(HOUR, () -> {});
        assertThat(first.await(10, TimeUnit.MINUTES)).isTrue(); // the thread sleeps for an hour, or is about to
        CountDownLatch earlier = new CountDownLatch(1);
        time.schedule(1_000_000, earlier::countDown);
        assertThat(earlier.await(10, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void errorOfATaskAndAnInterruptDoNotEndTheThread() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        time.schedule(0, () -> {
            throw new StackOverflowError("planted by the test");
        });
        time.schedule(1, () -> Thread.currentThread().interrupt());
        time.schedule(1_000_000, ran::countDown);
        assertThat(ran.await(10, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void longestDelayIsNotTakenForThePast() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        List<String> seen = new CopyOnWriteArrayList<>();
        time.schedule(Long.MAX_VALUE, () -> seen.add("in 292 years"));
        time.schedule(-1, ran::countDown);
        assertThat(ran.await(10, TimeUnit.MINUTES)).isTrue();
        assertThat(seen).isEmpty();
        assertThat(time.queued()).isEqualTo(1);
    }

    @Test
    void closeRunsAllTimersInTheirOrderAndEndsTheThread() throws InterruptedException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        List<String> seen = new CopyOnWriteArrayList<>();
        time.schedule(2 * HOUR, () -> seen.add("later"));
        time.schedule(HOUR, () -> {
            threads.add(Thread.currentThread());
            seen.add("earlier");
        });
        EngineTime.Timer cancelled = time.schedule(HOUR, () -> seen.add("cancelled"));
        CountDownLatch ran = new CountDownLatch(1);
        time.schedule(3 * HOUR, ran::countDown);
        cancelled.cancel();

        time.close();

        assertThat(ran.await(10, TimeUnit.MINUTES)).isTrue();
        assertThat(seen).containsExactly("earlier", "later");
        threads.get(0).join(600_000);
        assertThat(threads.get(0).isAlive()).isFalse();
        assertThat(time.queued()).isZero();
    }

    @Test
    void timerThatIsCancelledAfterTheCloseDoesNotRun() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        List<String> seen = new CopyOnWriteArrayList<>();
        time.schedule(0, () -> {
            begun.countDown();
            await(mayGoOn);
        });
        EngineTime.Timer cancelled = time.schedule(HOUR, () -> seen.add("cancelled"));
        time.schedule(2 * HOUR, last::countDown);
        assertThat(begun.await(10, TimeUnit.MINUTES)).isTrue();

        time.close();
        cancelled.cancel();
        mayGoOn.countDown();

        assertThat(last.await(10, TimeUnit.MINUTES)).isTrue();
        assertThat(seen).isEmpty();
    }

    @Test
    void timerThatIsSetAfterTheCloseRunsInItsTimeOnAThreadThatEnds() throws InterruptedException {
        time.close();
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        long set = time.nanos();

        time.schedule(1_000_000, () -> threads.add(Thread.currentThread()));

        Thread thread = threads.poll(10, TimeUnit.MINUTES);
        assertThat(time.nanos() - set).isGreaterThanOrEqualTo(1_000_000);
        assertThat(thread).isNotNull();
        thread.join(600_000);
        assertThat(thread.isAlive()).isFalse();
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

        assertThat(othersRan.await(10, TimeUnit.MINUTES)).isTrue();
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
        timer.cancel(); // the timer itself is still reachable
    }

    private EngineTime.Timer schedule(Object lease) {
        return time.schedule(HOUR, () -> assertThat(lease).isNotNull());
    }

    private static void collectUntilCleared(WeakReference<Object> reference) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(
                        () -> { // the thread of the timers may be about to drop it
                            System.gc();
                            return reference.get() == null;
                        });
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
