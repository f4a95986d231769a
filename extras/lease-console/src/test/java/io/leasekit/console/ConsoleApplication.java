package io.leasekit.console;

import io.leasekit.LeaseManager;
import io.leasekit.store.LeaseStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** An application with the console, on a port of the loopback address, and requests to it. */
final class ConsoleApplication implements AutoCloseable {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final ConfigurableApplicationContext context;

    ConsoleApplication(Class<?> configuration, String... properties) {
        this.context = new SpringApplicationBuilder(configuration, Further.class)
                .properties(
                        "lease.store=in-memory",
                        "lease.owner=here",
                        "lease.close-timeout=100ms", // tests leave leases to the close
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    /** Further managers, as docs/configuration.md shows them. */
    @Configuration(proxyBeanMethods = false)
    static class Further {

        @Bean(defaultCandidate = false)
        @Lazy
        LeaseManager orders(LeaseStore store) {
            return LeaseManager.builder(store)
                    .owner("orders")
                    .closeTimeout(Duration.ofSeconds(1))
                    .build();
        }

        @Bean(defaultCandidate = false)
        @Lazy
        LeaseManager other(LeaseStore store) {
            return LeaseManager.builder(store)
                    .owner("other")
                    .closeTimeout(Duration.ofSeconds(1))
                    .build();
        }
    }

    Object beanNamed(String name) {
        return context.getBean(name);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    String property(String name) {
        return Objects.requireNonNull(context.getEnvironment().getProperty(name));
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return send("GET", "local.server.port", path, headers);
    }

    HttpResponse<String> manage(String path) throws IOException, InterruptedException {
        return send("GET", "local.management.port", path);
    }

    HttpResponse<String> send(String method, String port, String path, String... headers)
            throws IOException, InterruptedException {
        return send(method, BodyPublishers.noBody(), port, path, headers);
    }

    HttpResponse<String> delete(String path) throws IOException, InterruptedException {
        return send("DELETE", "local.server.port", path);
    }

    /** Sends a text in JSON. */
    HttpResponse<String> post(String path, String json, String... headers) throws IOException, InterruptedException {
        String[] all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "Content-Type";
        all[headers.length + 1] = "application/json";
        return send("POST", BodyPublishers.ofString(json), "local.server.port", path, all);
    }

    private HttpResponse<String> send(
            String method, HttpRequest.BodyPublisher body, String port, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + property(port) + path))
                .method(method, body);
        if (!method.equals("GET")) {
            request.header("X-Requested-With", "test");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    /** Sends a form as a page of another site can. */
    HttpResponse<String> form(String path, String fields) throws IOException, InterruptedException {
        return plain("POST", path, fields, "Content-Type", "application/x-www-form-urlencoded");
    }

    /** Sends a request with this method, without a header that another site cannot send. */
    HttpResponse<String> plain(String method, String path, String json) throws IOException, InterruptedException {
        return plain(method, path, json, "Content-Type", "application/json");
    }

    /** Sends a request with these headers only, to the port of the endpoints. */
    HttpResponse<String> plain(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        String port = context.getEnvironment().getProperty("local.management.port", property("local.server.port"));
        // a connection of its own: after a malformed request, Netty may read no further one from the same connection
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, BodyPublishers.ofString(body))
                        .headers(headers)
                        .build(),
                BodyHandlers.ofString());
    }

    @Override
    public void close() {
        context.close();
    }
}
