package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.aop.LeasedBeans;
import io.leasekit.spring.context.FakeLease;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Executors that do not run a task of a call: the call goes on elsewhere, and its lease is released at its end. */
@Timeout(600)
class BrokenExecutorsTest {

    private static final Duration SOON = Duration.ofMinutes(10);
    private static final String BROKEN = "broken";

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Orders orders = beans.advise(new Orders());

    @AfterEach
    void close() {
        Schedulers.resetOnScheduleHook(BROKEN);
        ContextRegistry.getInstance().removeThreadLocalAccessor(BROKEN);
        beans.close();
    }

    @Test
    void aPublisherGoesOnIfReactorTakesNoTask() {
        Lease theirs = beans.other.tryAcquire("order").orElseThrow();
        CompletableFuture<String> call = orders.reactive().toFuture();
        awaitWaiting();
        Schedulers.onScheduleHook(BROKEN, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });

        theirs.close();

        assertThat(call).succeedsWithin(SOON).isEqualTo("under order");
        awaitReleased();
    }

    @Test
    void aStageGoesOnIfAThreadLocalOfTheApplicationCannotBeSet() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new BrokenAccessor());
        Lease theirs = beans.other.tryAcquire("order").orElseThrow();
        CompletableFuture<String> call = orders.later();
        awaitWaiting();

        theirs.close();

        assertThat(call).succeedsWithin(SOON).isEqualTo("under order");
        awaitReleased();
    }

    @Test
    void aCallGoesOnIfAThreadLocalOfTheApplicationCannotBeRead() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new BrokenAccessor() {
            @Override
            public String getValue() {
                throw new IllegalStateException("by design");
            }
        });

        assertThat(orders.later()).succeedsWithin(SOON).isEqualTo("under order");
        awaitReleased();
        assertThat((CompletableFuture<?>) orders.object()).succeedsWithin(SOON);
        awaitReleased();
    }

    private static List<Executor> executors() {
        return List.of(
                task -> {
                    throw new RejectedExecutionException("shut down");
                },
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                });
    }

    @ParameterizedTest
    @MethodSource("executors")
    void aCallEndsWhenItsLeaseIsReleased(Executor broken) {
        CompletableFuture<Void> released = new CompletableFuture<>();
        AsyncCall call = call(broken, released);

        CompletionStage<Void> ended = call.ended();
        assertThat(ended).isNotDone();
        released.complete(null);

        assertThat(ended.toCompletableFuture()).succeedsWithin(SOON);
    }

    @Test
    void aTaskRunsOnceIfItsExecutorFailsAfterwards() {
        AtomicInteger runs = new AtomicInteger();
        Executor executor = RunOnce.onOrHere(task -> {
            task.run();
            throw new IllegalStateException("after the task");
        });

        executor.execute(runs::incrementAndGet);

        assertThat(runs).hasValue(1);
    }

    /** The application decorates the lease, so only a thread that waits can ask whether it is valid. */
    @Test
    void aDecoratedLeaseThatMustBeRenewedHoldsUpNoThreadOfOthers() throws Exception {
        FakeLease lease = new FakeLease();
        lease.unconfirm();
        SharedLease shared = new SharedLease(beans.own, lease, Lease::close);
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        AsyncCall call = call(shared, tasks::add);

        CountDownLatch mayAnswer = new CountDownLatch(1);
        var unused = lease.asker().thenRun(() -> await(mayAnswer)); // else it may answer before the call waits

        CompletableFuture<Void> confirmed = call.confirmed().toCompletableFuture();
        mayAnswer.countDown();
        assertThat(lease.asker())
                .as("the thread that has waited")
                .succeedsWithin(SOON)
                .isNotEqualTo(Thread.currentThread());
        assertThat(confirmed).isNotDone();
        Objects.requireNonNull(tasks.poll(SOON.toSeconds(), TimeUnit.SECONDS), "the rest of the call")
                .run();

        assertThat(confirmed).isCompleted();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private AsyncCall call(Executor executor, CompletableFuture<Void> released) {
        SharedLease.Ending ending = new SharedLease.Ending() {
            @Override
            public void release(Lease lease) {
                lease.close();
            }

            @Override
            public CompletionStage<Void> releaseAsync(Lease lease) {
                return lease.releaseAsync().thenCompose(done -> released);
            }
        };
        SharedLease shared = new SharedLease(beans.own, beans.own.acquire("call"), ending);
        return call(shared, executor);
    }

    private static AsyncCall call(SharedLease shared, Executor executor) {
        LeaseFrame frame = LeaseFrame.within(null, shared, true);
        LeaseCall held = new LeaseCall(OnLost.THROW, shared, frame, null, (failure, cutOff) -> {}, null);
        return new AsyncCall(held, RunOnce.onOrHere(executor));
    }

    private void awaitWaiting() {
        Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().size() == 1);
    }

    private void awaitReleased() {
        // the thread whose values could not be set ends by that exception
        Awaitility.await()
                .dontCatchUncaughtExceptions()
                .atMost(SOON)
                .until(() -> beans.own.held().isEmpty());
        beans.awaitFree("order");
    }

    static class Orders {

        @DistributedLease(key = "order", waitFor = "1h")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture(
                    "under " + LeaseContext.current().key());
        }

        @DistributedLease(key = "order", waitFor = "1h")
        public Object object() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLease(key = "order", waitFor = "1h")
        public Mono<String> reactive() {
            return Mono.just("under " + LeaseContext.current().key());
        }
    }

    /** A thread-local that cannot be set on other threads. */
    private static class BrokenAccessor implements ThreadLocalAccessor<String> {

        private final Thread owner = Thread.currentThread();

        @Override
        public Object key() {
            return BROKEN;
        }

        @Override
        public String getValue() {
            return Thread.currentThread().equals(owner) ? "value" : null;
        }

        @Override
        public void setValue(String value) {
            throw new IllegalStateException("by design");
        }

        @Override
        public void setValue() {}
    }
}
