package io.leasekit.benchmarks;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Delays each request by a fixed round-trip time without blocking a thread. */
final class DelayHandler extends Handler.Wrapper {

    private final ScheduledExecutorService scheduler;
    private final long millis;

    DelayHandler(Handler next, ScheduledExecutorService scheduler, long millis) {
        super(next);
        this.scheduler = scheduler;
        this.millis = millis;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (millis == 0) {
            return super.handle(request, response, callback);
        }
        scheduler.schedule(() -> goOn(request, response, callback), millis, TimeUnit.MILLISECONDS);
        return true;
    }

    private void goOn(Request request, Response response, Callback callback) {
        try {
            if (!super.handle(request, response, callback)) {
                throw new IllegalStateException("No handler answers " + request);
            }
        } catch (Exception e) {
            Response.writeError(request, response, callback, e);
        }
    }
}
