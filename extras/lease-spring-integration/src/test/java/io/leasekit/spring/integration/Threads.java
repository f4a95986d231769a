package io.leasekit.spring.integration;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls on other threads. */
final class Threads {

    private static final long PATIENCE_SECONDS = 600;

    private Threads() {}

    /** A call on a thread of its own. */
    record Call<T>(Thread thread, FutureTask<T> task) {

        T result() {
            try {
                return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException thrown
                        ? thrown
                        : new IllegalStateException(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Returns when the thread waits. */
        Call<T> waits() {
            while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
                if (task.isDone()) {
                    throw new IllegalStateException("ended without a wait");
                }
                Thread.onSpinWait();
            }
            return this;
        }
    }

    static <T> Call<T> begin(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "other-thread");
        thread.setDaemon(true);
        thread.start();
        return new Call<>(thread, task);
    }

    static <T> T call(Callable<T> call) {
        return begin(call).result();
    }
}
