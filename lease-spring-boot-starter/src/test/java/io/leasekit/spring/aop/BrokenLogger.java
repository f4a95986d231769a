package io.leasekit.spring.aop;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** An appender of the application that throws at each line of the starter until it is closed. */
final class BrokenLogger implements AutoCloseable {

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.leasekit.spring");

    private final Appender<ILoggingEvent> broken = new AppenderBase<>() {
        @Override
        public synchronized void doAppend(ILoggingEvent event) {
            throw new NoClassDefFoundError("by design");
        }

        @Override
        protected void append(ILoggingEvent event) {}
    };

    BrokenLogger() {
        broken.start();
        LOGGER.addAppender(broken);
    }

    @Override
    public void close() {
        LOGGER.detachAppender(broken);
    }
}
