package io.leasekit.storm;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.server.Request;

/** The database behind the proxy. Thread-safe. */
final class Upstream implements AutoCloseable {

    /** Headers of one connection, and those that the client sets. */
    private static final Set<String> OWN_HEADERS =
            caseless("Connection", "Content-Length", "Host", "Upgrade", "Expect");

    private final URI endpoint;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "late-copies");
        thread.setDaemon(true);
        return thread;
    });

    Upstream(URI endpoint) {
        this.endpoint = endpoint;
    }

    private static Set<String> caseless(String... names) {
        Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        set.addAll(Set.of(names));
        return set;
    }

    static boolean isOfConnection(String header) {
        return OWN_HEADERS.contains(header) || header.equalsIgnoreCase("Transfer-Encoding");
    }

    /** Delivers the request, and returns the reply. */
    HttpResponse<byte[]> deliver(Request request, String body) throws IOException, InterruptedException {
        return client.send(copy(request, body), HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Delivers a copy of the request after this time. Its reply is dropped. */
    void deliverLater(Request request, String body, long millis) {
        HttpRequest copy = copy(request, body);
        later.schedule(
                () -> client.sendAsync(copy, HttpResponse.BodyHandlers.discarding()), millis, TimeUnit.MILLISECONDS);
    }

    private HttpRequest copy(Request request, String body) {
        HttpRequest.Builder copy = HttpRequest.newBuilder(endpoint.resolve(Request.getPathInContext(request)))
                .method(request.getMethod(), HttpRequest.BodyPublishers.ofString(body));
        for (HttpField field : request.getHeaders()) {
            if (!isOfConnection(field.getName())) {
                copy.header(field.getName(), field.getValue());
            }
        }
        return copy.build();
    }

    @Override
    public void close() {
        later.shutdownNow();
    }
}
