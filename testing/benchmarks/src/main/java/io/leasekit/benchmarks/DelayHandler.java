package io.leasekit.benchmarks;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Adds a fixed round trip to each request, before it goes on; no thread waits meanwhile. */
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
                throw new IllegalStateException("Nobody answers " + request);
            }
        } catch (Exception e) {
            Response.writeError(request, response, callback, e);
        }
    }
}
