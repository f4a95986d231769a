package io.leasekit.test;

import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * The clocks, timers and executors of one node. Each task runs on the thread that moves the virtual time or calls the
 * node's manager. Thread-safe.
 */
final class NodeTime implements EngineTime, Executor {

    private final VirtualTime time;
    private final List<Runnable> late = new CopyOnWriteArrayList<>();
    private volatile State state = State.RUNNING;

    enum State {
        RUNNING,
        PAUSED,
        CRASHED
    }

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
        switch (state) {
            case RUNNING -> task.run();
            case PAUSED -> late.add(task);
            case CRASHED -> {}
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

    State state() {
        return state;
    }

    void become(State next) {
        state = next;
        if (next == State.RUNNING) {
            late.forEach(task -> time.schedule(0, this, task));
            late.clear();
            time.advance(Duration.ZERO);
        }
    }
}
