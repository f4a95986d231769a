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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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
    /** No client waits longer for a reply. */
    private static final Duration IMPATIENCE = Duration.ofSeconds(2);

    /** Far more than anything takes, also on a loaded machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final HttpClient client = HttpClient.newHttpClient();
    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    private volatile String date = "";
    private HttpServer database;
    private FaultProxy proxy;

    @BeforeEach
    void startDatabase() throws IOException {
        database = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        database.createContext("/", exchange -> {
            delivered.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] reply = REPLY.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("x-amzn-RequestId", "1");
            exchange.sendResponseHeaders(200, reply.length);
            date = exchange.getResponseHeaders().getFirst("Date");
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
        return send(to, "request");
    }

    private HttpResponse<String> send(URI to, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(to)
                        .timeout(PATIENCE)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @CsvSource({"CUT, 0", "REPLY_CUT, 1", "REPLY_TORN, 1"})
    void aConnectionIsClosed(Fate fate, int times) throws Exception {
        URI to = proxy(fate);

        assertThatThrownBy(() -> send(to)).isInstanceOf(IOException.class);

        assertNothingIsDeliveredBut(times, to);
    }

    private void assertNothingIsDeliveredBut(int times, URI to) throws Exception {
        proxy.heal();
        send(to, "a later request");
        List<String> expected = new ArrayList<>(Collections.nCopies(times, "request"));
        expected.add("a later request");
        assertThat(delivered).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @CsvSource({"SWALLOWED, 0", "REPLY_SWALLOWED, 1"})
    void aReplyDoesNotCome(Fate fate, int times) throws Exception {
        URI to = proxy(fate);
        long begun = System.nanoTime();

        assertThatThrownBy(() -> send(to)).isInstanceOf(IOException.class);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(IMPATIENCE);
        assertNothingIsDeliveredBut(times, to);
    }

    /** Waits for a request, and takes it. */
    private void assertDelivered() throws InterruptedException {
        assertThat(delivered.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("request");
    }

    @ParameterizedTest
    @CsvSource({
        "ERROR, 0, 500, true",
        "ERROR_AFTER_DELIVERY, 1, 500, true",
        "THROTTLED, 0, 400, true",
        "BAD_GATEWAY, 0, 502, false"
    })
    void anErrorIsAnswered(Fate fate, int times, int status, boolean ofDynamoDb) throws Exception {
        HttpResponse<String> reply = send(proxy(fate));

        assertThat(reply.statusCode()).isEqualTo(status);
        assertThat(reply.headers().firstValue("x-amzn-RequestId").isPresent()).isEqualTo(ofDynamoDb);
        assertThat(delivered).hasSize(times);
    }

    @ParameterizedTest
    @EnumSource(names = {"PASSED", "LATE", "SLOW", "DISTANT"})
    void aRequestIsAnsweredByTheDatabase(Fate fate) throws Exception {
        HttpResponse<String> reply = send(proxy(fate));

        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo(REPLY);
        assertThat(reply.headers().firstValue("x-amzn-RequestId")).hasValue("1");
        assertThat(secondsAhead(reply)).isZero();
        assertThat(delivered).containsExactly("request");
    }

    @Test
    void aRequestIsRepeated() throws Exception {
        assertThat(send(proxy(Fate.DUPLICATED)).body()).isEqualTo(REPLY);

        assertDelivered();
        assertDelivered();
    }

    @Test
    void aReplyHasNoDate() throws Exception {
        assertThat(send(proxy(Fate.UNDATED)).headers().firstValue("Date")).isEmpty();
    }

    @Test
    void aReplyIsASecondAhead() throws Exception {
        assertThat(secondsAhead(send(proxy(Fate.AHEAD)))).isEqualTo(1);
    }

    @Test
    void aWrongDateComesAfterManyRightOnesAndNeverTwice() throws Exception {
        URI to = proxy(Fate.WRONG_DATE);
        for (int i = 0; i < 20; i++) {
            assertThat(secondsAhead(send(to))).isZero();
        }

        assertThat(Math.abs(secondsAhead(send(to)))).isBetween(12L, 20L);
        assertThat(secondsAhead(send(to))).isZero();
    }

    @Test
    void aRequestOfTheRefereeNeitherHasAWrongDateNorCounts() throws Exception {
        URI to = proxy(Fate.WRONG_DATE);
        for (int i = 0; i < 21; i++) {
            assertThat(secondsAhead(send(to, "{\"TableName\":\"referee\"}"))).isZero();
        }

        assertThat(secondsAhead(send(to))).isZero();
    }

    @Test
    void onceHealedItPassesEverything() throws Exception {
        URI to = proxy(Fate.CUT);

        proxy.heal();

        assertThat(send(to).body()).isEqualTo(REPLY);
        assertThat(proxy.fates()).containsOnlyKeys(Fate.PASSED);
    }

    /** Returns how far the date of this reply is ahead of the one that the database sent last. */
    private long secondsAhead(HttpResponse<String> reply) {
        return seconds(reply.headers().firstValue("Date").orElseThrow()) - seconds(date);
    }

    private static long seconds(String date) {
        return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
    }
}
