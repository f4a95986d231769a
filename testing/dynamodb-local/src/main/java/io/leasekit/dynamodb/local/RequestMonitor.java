package io.leasekit.dynamodb.local;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Forwards requests and records the time of the last one. Thread-safe. */
final class RequestMonitor extends Handler.Wrapper {

    private final LongSupplier nanoTime;
    private volatile long lastRequestNanos;

    RequestMonitor(Handler handler, LongSupplier nanoTime) {
        super(handler);
        this.nanoTime = nanoTime;
        this.lastRequestNanos = nanoTime.getAsLong();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        lastRequestNanos = nanoTime.getAsLong();
        try {
            return super.handle(request, response, callback);
        } finally {
            lastRequestNanos = nanoTime.getAsLong();
        }
    }

    /** Returns the time until {@code idleTimeout} has passed without a request; zero or negative if it has passed. */
    Duration untilIdle(Duration idleTimeout) {
        return idleTimeout.minusNanos(nanoTime.getAsLong() - lastRequestNanos);
    }
}
