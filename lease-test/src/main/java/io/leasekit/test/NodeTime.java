package io.leasekit.test;

import io.leasekit.internal.EngineTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * The clocks, timers and executors of one node. All tasks run on the thread that moves the time or calls the engine. A
 * paused node runs its tasks late, as a process does that was stopped and continued. A crashed node runs none.
 * Thread-safe.
 */
final class NodeTime implements EngineTime, Executor {

    private final VirtualTime time;
    private final List<Runnable> late = new CopyOnWriteArrayList<>();
    private volatile boolean paused;
    private volatile boolean crashed;

    NodeTime(VirtualTime time) {
        this.time = time;
    }

    @Override
    public long nanos() {
        return time.elapsed();
    }

    @Override
    public long wallMillis() {
        return time.now().toEpochMilli();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return time.schedule(delayNanos, this, task);
    }

    @Override
    public void execute(Runnable task) {
        if (paused) {
            late.add(task);
        } else if (!crashed) {
            task.run();
        }
    }

    @Override
    public <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        return time.await(future);
    }

    @Override
    public <T> T await(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return time.await(future, Duration.ofNanos(nanos));
    }

    boolean isPaused() {
        return paused;
    }

    boolean isCrashed() {
        return crashed;
    }

    void pause() {
        paused = true;
    }

    /** Continues the node: its tasks that fell due meanwhile run now, in their order. */
    void resume() {
        paused = false;
        late.forEach(task -> time.schedule(0, this, task));
        late.clear();
        time.advance(Duration.ZERO);
    }

    void crash() {
        paused = false;
        crashed = true;
    }
}
