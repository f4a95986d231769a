package io.leasekit.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.jspecify.annotations.Nullable;

/**
 * Makes the database fail while told to. Requests are refused (their connection is closed), swallowed (not forwarded
 * and never answered; their connection is closed after 30 s), delayed, or throttled: DynamoDB Local does not throttle, so a
 * write above the rate is answered here with {@code ProvisionedThroughputExceededException}, and a statement of a batch
 * with the code {@code ProvisionedThroughputExceeded}. Thread-safe.
 */
final class TroubleHandler extends Handler.Wrapper {

    static final String NONE = "none";
    static final String REFUSE = "refuse";
    static final String SWALLOW = "swallow";
    static final String THROTTLE = "throttle ";
    static final String DELAY = "delay ";

    private static final String BATCH = "BatchExecuteStatement";
    private static final String REASON = "The proxy throttles this table";
    private static final long SWALLOWED_SECONDS = 30;
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;

    private final ObjectMapper json = new ObjectMapper();
    private final ScheduledExecutorService scheduler;
    private volatile String trouble = NONE;
    private volatile @Nullable WriteCapacity capacity;
    private volatile long delay;

    TroubleHandler(Handler next, ScheduledExecutorService scheduler) {
        super(next);
        this.scheduler = scheduler;
    }

    /**
     * Begins this trouble, which replaces the present one. The word {@link #THROTTLE} needs the writes per second, and
     * {@link #DELAY} the milliseconds.
     */
    void begin(String what) {
        capacity = what.startsWith(THROTTLE)
                ? new WriteCapacity(Integer.parseInt(what.substring(THROTTLE.length())), System.nanoTime())
                : null;
        delay = what.startsWith(DELAY) ? Long.parseLong(what.substring(DELAY.length())) : 0;
        trouble = what;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        WriteCapacity limit = capacity;
        switch (trouble) {
            case NONE -> {
                return super.handle(request, response, callback);
            }
            case REFUSE -> disconnect(request, callback);
            case SWALLOW ->
                scheduler.schedule(() -> disconnect(request, callback), SWALLOWED_SECONDS, TimeUnit.SECONDS);
            default -> {
                return limit != null
                        ? throttle(limit, request, response, callback)
                        : new DelayHandler(getHandler(), scheduler, delay).handle(request, response, callback);
            }
        }
        return true;
    }

    private static void disconnect(Request request, Callback callback) {
        request.getConnectionMetaData().getConnection().getEndPoint().close();
        callback.failed(new EOFException("Refused by the proxy"));
    }

    private boolean throttle(WriteCapacity limit, Request request, Response response, Callback callback)
            throws Exception {
        switch (CountingHandler.operation(request)) {
            case BATCH -> throttleBatch(limit, request, response, callback);
            case "UpdateItem", "PutItem", "DeleteItem" -> {
                if (limit.admits(1, System.nanoTime())) {
                    return super.handle(request, response, callback);
                }
                answer(
                        response,
                        BAD_REQUEST,
                        "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
                                + "\"message\":\"" + REASON + "\"}",
                        callback);
            }
            default -> {
                return super.handle(request, response, callback);
            }
        }
        return true;
    }

    /** Reads the body to know the number of writes, and forwards it if they are admitted: all of them, or none. */
    private void throttleBatch(WriteCapacity limit, Request request, Response response, Callback callback) {
        Promise<String> read = Promise.from(
                body -> {
                    try {
                        int writes = json.readTree(body).path("Statements").size();
                        if (!limit.admits(writes, System.nanoTime())) {
                            answer(response, OK, refusals(writes), callback);
                        } else if (!super.handle(new Replayed(request, body), response, callback)) {
                            throw new IllegalStateException("No handler answers " + request);
                        }
                    } catch (Exception e) {
                        Response.writeError(request, response, callback, e);
                    }
                },
                callback::failed);
        Content.Source.asString(request, StandardCharsets.UTF_8, read);
    }

    private static String refusals(int writes) {
        String refusal = "{\"Error\":{\"Code\":\"ProvisionedThroughputExceeded\",\"Message\":\"" + REASON + "\"}}";
        return "{\"Responses\":[" + String.join(",", Collections.nCopies(writes, refusal)) + "]}";
    }

    /** Answers with the date, which the server leaves to the database. */
    private static void answer(Response response, int status, String body, Callback callback) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.DATE, DateGenerator.formatDate(System.currentTimeMillis()));
        StubHandler.answer(response, body, callback);
    }

    /** A request whose body was read already. */
    private static final class Replayed extends Request.Wrapper {

        private final Content.Source body;

        Replayed(Request request, String body) {
            super(request);
            this.body = Content.Source.from(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public Content.@Nullable Chunk read() {
            return body.read();
        }

        @Override
        public void demand(Runnable onContent) {
            body.demand(onContent);
        }

        @Override
        public void fail(Throwable failure) {
            body.fail(failure);
        }
    }
}
