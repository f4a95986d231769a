package io.leasekit.storm;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A proxy on the loopback interface between the processes and the database, which does to each request what the weather
 * says. Each process has a port of its own. Requests block a thread while they are late. Thread-safe.
 */
final class FaultProxy extends Handler.Abstract implements AutoCloseable {

    /** No copy is later than one ttl: then the tokens of dead processes are safe, too. */
    private static final int LATEST_MILLIS = (int) Scene.TTL.toMillis();

    private static final int DISTANT_MILLIS = 150;
    private static final long SWALLOWED_MILLIS = 3_000;
    private static final int THREADS = 500;

    /** The first half is for requests that end soon, the second for those that are interrupted. */
    private static final long CLOSE_MILLIS = 1_000;

    private static final String REQUEST_ID = "x-amzn-RequestId";
    private static final String DYNAMODB = "com.amazonaws.dynamodb.v20120810#";

    private final QueuedThreadPool threads = new QueuedThreadPool(THREADS);
    private final Server server = new Server(threads);
    private final Upstream upstream;
    private final Weather weather;
    private final Random random;
    private final ConcurrentMap<Integer, Link> links = new ConcurrentHashMap<>();
    private final long begun = System.nanoTime();
    private volatile boolean healed;

    private FaultProxy(URI endpoint, Weather weather, long seed) {
        this.upstream = new Upstream(endpoint);
        this.weather = weather;
        this.random = new Random(seed);
        threads.setStopTimeout(CLOSE_MILLIS);
        server.setHandler(this);
    }

    static FaultProxy start(URI endpoint, Weather weather, long seed) throws Exception {
        FaultProxy proxy = new FaultProxy(endpoint, weather, seed);
        proxy.server.start();
        return proxy;
    }

    /** Opens a port for one process, and returns it. */
    int open(Link link) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendDateHeader(false);
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        connector.start();
        links.put(connector.getLocalPort(), link);
        return connector.getLocalPort();
    }

    /** Ends all faults. */
    void heal() {
        healed = true;
    }

    /** Returns how often each fate was drawn. */
    Map<Fate, Integer> fates() {
        Map<Fate, Integer> sums = new EnumMap<>(Fate.class);
        links.values().forEach(link -> link.fates().forEach((fate, count) -> sums.merge(fate, count, Integer::sum)));
        return sums;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Link link = links.get(Request.getLocalPort(request));
        if (link == null) {
            return false;
        }
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        Exchange exchange = new Exchange(
                request, response, callback, link, Content.Source.asString(request, StandardCharsets.UTF_8));
        treat(link.admit(healed ? Fate.PASSED : weather.fate(millis, random), exchange.isOfLeases()), exchange);
        return true;
    }

    private record Exchange(Request request, Response response, Callback callback, Link link, String body) {

        private boolean isOfLeases() {
            return !body.contains('"' + Scene.REFEREE + '"');
        }
    }

    private void treat(Fate fate, Exchange exchange) throws IOException, InterruptedException {
        switch (fate) {
            case SWALLOWED -> {
                Thread.sleep(SWALLOWED_MILLIS);
                hangUp(exchange);
            }
            case CUT -> hangUp(exchange);
            case ERROR -> answerError(exchange);
            case BAD_GATEWAY -> answer(exchange, 502, "<html><body>bad gateway</body></html>", false);
            case THROTTLED ->
                answer(
                        exchange,
                        400,
                        "{\"__type\":\"" + DYNAMODB + "ProvisionedThroughputExceededException\",\"message\":\"slow\"}",
                        true);
            default -> deliver(fate, exchange);
        }
    }

    private void deliver(Fate fate, Exchange exchange) throws IOException, InterruptedException {
        if (fate == Fate.DUPLICATED) {
            upstream.deliverLater(exchange.request, exchange.body, random.nextInt(LATEST_MILLIS));
        }
        if (fate == Fate.LATE || fate == Fate.DISTANT) {
            Thread.sleep(delay(fate));
        }
        HttpResponse<byte[]> reply = upstream.deliver(exchange.request, exchange.body);
        switch (fate) {
            case REPLY_SWALLOWED -> {
                Thread.sleep(SWALLOWED_MILLIS);
                hangUp(exchange);
            }
            case REPLY_CUT -> hangUp(exchange);
            case ERROR_AFTER_DELIVERY -> answerError(exchange);
            case SLOW, DISTANT -> {
                Thread.sleep(delay(fate));
                forward(fate, reply, exchange);
            }
            default -> forward(fate, reply, exchange);
        }
    }

    private long delay(Fate fate) {
        return fate == Fate.DISTANT ? DISTANT_MILLIS + random.nextInt(DISTANT_MILLIS) : random.nextInt(LATEST_MILLIS);
    }

    private void forward(Fate fate, HttpResponse<byte[]> reply, Exchange exchange) throws IOException {
        Response response = exchange.response;
        response.setStatus(reply.statusCode());
        reply.headers().map().forEach((name, values) -> {
            if (!Upstream.isOfConnection(name)) {
                values.forEach(value -> response.getHeaders().add(name, value));
            }
        });
        byte[] body = reply.body();
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        changeDate(fate, exchange);
        if (fate == Fate.REPLY_TORN && body.length > 1) {
            Content.Sink.write(response, false, ByteBuffer.wrap(body, 0, body.length / 2));
            hangUp(exchange);
        } else {
            response.write(true, ByteBuffer.wrap(body), exchange.callback);
        }
    }

    private void changeDate(Fate fate, Exchange exchange) {
        switch (fate) {
            case UNDATED -> exchange.response.getHeaders().remove(HttpHeader.DATE);
            case AHEAD -> shiftDate(exchange.response, 1);
            case WRONG_DATE ->
                shiftDate(exchange.response, (random.nextBoolean() ? 1 : -1) * (12L + random.nextInt(8)));
            default -> {
                if (exchange.isOfLeases()) {
                    exchange.link.answeredWithRightDate();
                }
            }
        }
    }

    private static void shiftDate(Response response, long seconds) {
        String date = response.getHeaders().get(HttpHeader.DATE);
        if (date != null) {
            ZonedDateTime shifted = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .plusSeconds(seconds);
            response.getHeaders().put(HttpHeader.DATE, DateTimeFormatter.RFC_1123_DATE_TIME.format(shifted));
        }
    }

    private static void answerError(Exchange exchange) {
        answer(exchange, 500, "{\"__type\":\"" + DYNAMODB + "InternalServerError\",\"message\":\"storm\"}", true);
    }

    /** Answers instead of the database. Only DynamoDB's own errors have a request id, and so a date that counts. */
    private static void answer(Exchange exchange, int status, String body, boolean ofDynamoDb) {
        Response response = exchange.response;
        response.setStatus(status);
        if (ofDynamoDb) {
            response.getHeaders().put(REQUEST_ID, "storm");
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/x-amz-json-1.0");
        }
        response.getHeaders()
                .put(HttpHeader.DATE, DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)));
        response.write(true, ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)), exchange.callback);
    }

    private static void hangUp(Exchange exchange) {
        exchange.request.getConnectionMetaData().getConnection().getEndPoint().close();
        exchange.callback.failed(new EofException("Cut by the storm"));
    }

    /** Closes all ports. Undelivered requests are dropped. */
    @Override
    public void close() {
        for (Connector connector : server.getConnectors()) {
            LifeCycle.stop(connector); // the server does not own one that was added to it after its start
        }
        LifeCycle.stop(server);
        upstream.close();
    }
}
