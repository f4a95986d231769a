package io.leasekit.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Protects the engine from errors that loggers, listeners, executors and other libraries throw. Thread-safe. */
@Internal
public final class Quietly {

    private static final Logger log = LoggerFactory.getLogger(Quietly.class);

    private Quietly() {}

    public static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            complain(e);
        }
    }

    public static void complain(Throwable error) {
        try {
            log.error("A step of the lease engine failed; the engine goes on", error);
        } catch (Throwable e) {
            // ignored, because no lease depends on a logger
        }
    }
}
