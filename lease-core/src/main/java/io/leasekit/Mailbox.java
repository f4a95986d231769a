package io.leasekit;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in order, on whichever thread brings the first one; others only leave theirs. So the state that
 * its tasks touch needs no lock, no thread waits, and no lock is held while a request is sent. A task that brings another
 * one has it run after itself.
 */
final class Mailbox {

    private static final Logger log = LoggerFactory.getLogger(Mailbox.class);

    private final Consumer<Throwable> onError;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();

    /** Whatever a step throws is logged and handed to {@code onError}, which must not throw; the next step comes after it. */
    Mailbox(Consumer<Throwable> onError) {
        this.onError = onError;
    }

    void execute(Runnable task) {
        tasks.add(task);
        if (pending.getAndIncrement() == 0) {
            do {
                runNext();
            } while (pending.decrementAndGet() != 0);
        }
    }

    private void runNext() {
        try {
            tasks.remove().run();
        } catch (RuntimeException | Error e) {
            log.error("Lease engine failed in a step; the lease goes on with its next one", e);
            onError.accept(e);
        }
    }
}
