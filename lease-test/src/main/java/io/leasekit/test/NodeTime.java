package io.leasekit.test;

import io.leasekit.internal.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The clocks and timers of one node. A paused node runs its timers late, as a process does that was stopped and
 * continued; those of a crashed node never run. Thread-safe.
 */
final class NodeTime implements EngineTime {

    private final VirtualTime time;
    private final List<Runnable> late = new ArrayList<>(); // guarded by itself
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
        return new NodeTimer(delayNanos, task);
    }

    /** A timer that goes by the state of its node when it is due. */
    private final class NodeTimer implements Timer {
        private final Runnable action;
        private final VirtualTime.Task task;

        NodeTimer(long delayNanos, Runnable action) {
            this.action = action;
            this.task = time.schedule(delayNanos, this::run);
        }

        private void run() {
            if (paused) {
                defer(this::run);
            } else if (!crashed && !task.isCancelled()) {
                action.run();
            }
        }

        @Override
        public void cancel() {
            task.cancel();
        }
    }

    private void defer(Runnable task) {
        synchronized (late) {
            late.add(task);
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

    /** Continues the node: the timers that fell due meanwhile run now, in their order. */
    void resume() {
        paused = false;
        List<Runnable> due;
        synchronized (late) {
            due = List.copyOf(late);
            late.clear();
        }
        due.forEach(task -> time.schedule(0, task));
        time.advance(Duration.ZERO);
    }

    void crash() {
        crashed = true;
    }
}
