package io.leasekit.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A lock for steps of a few instructions, which send no request and run no code of users. Thread-safe. */
@Internal
public final class BriefLock {

    private final ReentrantLock lock = new ReentrantLock();

    public <T extends @Nullable Object> T get(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    public void run(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }
}
