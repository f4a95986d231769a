package io.leasekit.engine;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Captures the events of a logger during a test. */
public final class LogLines implements BeforeEachCallback, AfterEachCallback {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    public final List<ILoggingEvent> list = new CopyOnWriteArrayList<>(); // other threads may log meanwhile
    private final List<AppenderBase<ILoggingEvent>> slow = new ArrayList<>();

    public LogLines(String logger) {
        this.logger = (Logger) LoggerFactory.getLogger(logger);
        appender.list = list;
    }

    /** Runs this while the next line with this text is logged. */
    void onLine(String text, Runnable action) {
        AppenderBase<ILoggingEvent> once = new AppenderBase<>() {
            private boolean done;

            @Override
            public synchronized void doAppend(ILoggingEvent line) {
                if (!done && line.getFormattedMessage().contains(text)) {
                    done = true;
                    action.run();
                }
            }

            @Override
            protected void append(ILoggingEvent line) {}
        };
        slow.add(once);
        logger.addAppender(once);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        logger.detachAppender(appender);
        slow.forEach(logger::detachAppender);
    }
}
