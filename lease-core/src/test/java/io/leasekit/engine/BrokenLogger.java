package io.leasekit.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** A logger of the library that throws at each line. */
public final class BrokenLogger {

    private BrokenLogger() {}

    /** Runs the step while all loggers of the library are broken. */
    public static void during(Runnable step) {
        Logger logger = (Logger) LoggerFactory.getLogger("io.leasekit");
        Level before = logger.getLevel();
        AppenderBase<ILoggingEvent> broken = new AppenderBase<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                throw new NoClassDefFoundError("by design");
            }

            @Override
            protected void append(ILoggingEvent event) {}
        };
        broken.start();
        logger.setLevel(Level.TRACE);
        logger.addAppender(broken);
        try {
            step.run();
        } finally {
            logger.detachAppender(broken);
            logger.setLevel(before);
        }
    }
}
