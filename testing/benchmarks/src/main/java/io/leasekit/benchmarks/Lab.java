package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;

/**
 * The database and the proxy in front of it, each in its own JVM. Both end with {@link #close()} or with this process.
 */
final class Lab implements AutoCloseable {

    static final long ROUND_TRIP_MILLIS = 10;
    private static final int LOOKS = 50;

    private final DynamoDbLocalProcess database;
    private final ChildJvm wire;
    private final List<URI> endpoints;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();

    private Lab(DynamoDbLocalProcess database, ChildJvm wire) {
        this.database = database;
        this.wire = wire;
        this.endpoints = List.of(wire.await(WireServer.READY).split(" ", -1)).stream()
                .map(port -> URI.create("http://127.0.0.1:" + port))
                .toList();
    }

    static Lab start() {
        DynamoDbLocalProcess database = DynamoDbLocalProcess.start();
        List<String> args = List.of(database.endpoint().toString(), String.valueOf(ROUND_TRIP_MILLIS));
        Lab lab = new Lab(database, ChildJvm.start(WireServer.class, List.of("-Xmx192m"), args));
        Tables.create(lab.database(0));
        return lab;
    }

    /** Returns the endpoint of the database with this round trip: 0 or {@link #ROUND_TRIP_MILLIS}. */
    URI database(long delayMillis) {
        return endpoints.get(delayMillis == 0 ? 0 : 1);
    }

    /** Returns the endpoint of the stub with this round trip. */
    URI stub(long delayMillis) {
        return endpoints.get(delayMillis == 0 ? 2 : 3);
    }

    /** Returns the counts so far. Waits a limited time until all requests are answered. */
    WireCounts counts() {
        WireCounts counts = now();
        for (int i = 0; i < LOOKS && counts.inFlight() > 0; i++) {
            Work.pause(5);
            counts = now();
        }
        return counts;
    }

    /** Begins a trouble of {@link TroubleHandler} in the proxy, which lasts until the next call. */
    void begin(String trouble) {
        wire.tell(trouble);
        wire.await(WireServer.DONE);
    }

    /** Returns the counts so far, including requests that are not answered yet. */
    WireCounts now() {
        try {
            HttpResponse<byte[]> reply = http.send(
                    HttpRequest.newBuilder(endpoints.get(0)).GET().build(), HttpResponse.BodyHandlers.ofByteArray());
            return json.readValue(reply.body(), new TypeReference<WireCounts>() {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        wire.close();
        database.close();
    }
}
