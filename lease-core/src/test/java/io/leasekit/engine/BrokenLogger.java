package io.leasekit.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** A logger of the library that throws at each line, and whenever it is asked for its level. */
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
        TurboFilter filter = new TurboFilter() {
            @Override
            public FilterReply decide(
                    Marker marker, Logger asked, Level level, String format, Object[] arguments, Throwable error) {
                if (asked.getName().startsWith("io.leasekit")) {
                    throw new NoClassDefFoundError("by design");
                }
                return FilterReply.NEUTRAL;
            }
        };
        filter.start();
        logger.getLoggerContext().addTurboFilter(filter);
        logger.setLevel(Level.TRACE);
        logger.addAppender(broken);
        try {
            step.run();
        } finally {
            logger.getLoggerContext().getTurboFilterList().remove(filter);
            logger.detachAppender(broken);
            logger.setLevel(before);
        }
    }
}
