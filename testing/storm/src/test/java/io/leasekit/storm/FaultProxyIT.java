package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each fate of a request is what its name says. */
class FaultProxyIT {

    private static final String REPLY = "{\"reply\":\"of the database\"}";
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final Semaphore deliveries = new Semaphore(0);
    private HttpServer database;
    private FaultProxy proxy;

    @BeforeEach
    void startDatabase() throws IOException {
        database = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        database.createContext("/", exchange -> {
            delivered.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            deliveries.release();
            byte[] reply = REPLY.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("x-amzn-RequestId", "1");
            exchange.sendResponseHeaders(200, reply.length);
            exchange.getResponseBody().write(reply);
            exchange.close();
        });
        database.start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        database.stop(0);
    }

    private URI proxy(Fate fate) throws Exception {
        URI upstream = URI.create("http://127.0.0.1:" + database.getAddress().getPort());
        proxy = FaultProxy.start(upstream, Weather.only(fate), 1);
        return URI.create("http://127.0.0.1:" + proxy.open(new Link(false)) + "/");
    }

    private HttpResponse<String> send(URI to) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(to)
                        .timeout(PATIENCE.multipliedBy(10))
                        .POST(HttpRequest.BodyPublishers.ofString("request"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @CsvSource({"CUT, 0", "REPLY_CUT, 1", "REPLY_TORN, 1"})
    void aConnectionIsClosed(Fate fate, int times) throws Exception {
        URI to = proxy(fate);

        assertThatThrownBy(() -> send(to)).isInstanceOf(IOException.class);

        assertThat(delivered).hasSize(times).allMatch("request"::equals);
    }

    @ParameterizedTest
    @CsvSource({"SWALLOWED, 0", "REPLY_SWALLOWED, 1"})
    void aReplyDoesNotCome(Fate fate, int times) throws Exception {
        HttpRequest impatient = HttpRequest.newBuilder(proxy(fate))
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString("request"))
                .build();

        assertThatThrownBy(() -> client.send(impatient, HttpResponse.BodyHandlers.ofString()))
                .isInstanceOf(IOException.class);

        assertThat(delivered).hasSize(times);
    }

    @ParameterizedTest
    @CsvSource({"ERROR, 0, 500, true", "ERROR_AFTER_DELIVERY, 1, 500, true", "THROTTLED, 0, 400, true",
        "BAD_GATEWAY, 0, 502, false"})
    void anErrorIsAnswered(Fate fate, int times, int status, boolean ofDynamoDb) throws Exception {
        HttpResponse<String> reply = send(proxy(fate));

        assertThat(reply.statusCode()).isEqualTo(status);
        assertThat(reply.headers().firstValue("x-amzn-RequestId").isPresent()).isEqualTo(ofDynamoDb);
        assertThat(delivered).hasSize(times);
    }

    @ParameterizedTest
    @EnumSource(names = {"PASSED", "LATE", "SLOW"})
    void aRequestIsAnsweredByTheDatabase(Fate fate) throws Exception {
        HttpResponse<String> reply = send(proxy(fate));

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo(REPLY);
        assertThat(reply.headers().firstValue("x-amzn-RequestId")).hasValue("1");
        assertThat(secondsAhead(reply)).isBetween(-5L, 0L);
        assertThat(delivered).containsExactly("request");
    }

    @Test
    void aRequestIsRepeated() throws Exception {
        assertThat(send(proxy(Fate.DUPLICATED)).body()).isEqualTo(REPLY);

        assertThat(deliveries.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
        assertThat(delivered).containsExactly("request", "request");
    }

    @Test
    void aReplyHasNoDate() throws Exception {
        assertThat(send(proxy(Fate.UNDATED)).headers().firstValue("Date")).isEmpty();
    }

    @Test
    void aReplyIsASecondAhead() throws Exception {
        assertThat(secondsAhead(send(proxy(Fate.AHEAD)))).isBetween(-1L, 1L);
    }

    @Test
    void aWrongDateComesAfterManyRightOnesAndNeverTwice() throws Exception {
        URI to = proxy(Fate.WRONG_DATE);
        for (int i = 0; i < 20; i++) {
            assertThat(Math.abs(secondsAhead(send(to)))).isLessThan(5);
        }

        assertThat(Math.abs(secondsAhead(send(to)))).isBetween(10L, 21L);
        assertThat(Math.abs(secondsAhead(send(to)))).isLessThan(5);
    }

    @Test
    void onceHealedItPassesEverything() throws Exception {
        URI to = proxy(Fate.CUT);

        proxy.heal();

        assertThat(send(to).body()).isEqualTo(REPLY);
        assertThat(proxy.fates()).containsOnlyKeys(Fate.PASSED);
    }

    private static long secondsAhead(HttpResponse<String> reply) {
        String date = reply.headers().firstValue("Date").orElseThrow();
        return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond()
                - System.currentTimeMillis() / 1_000;
    }
}
