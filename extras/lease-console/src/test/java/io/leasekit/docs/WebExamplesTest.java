package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.spring.DistributedLease;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The advice of docs/service-methods.md over HTTP, in a servlet and in a reactive application. */
@ExtendWith(OutputCaptureExtension.class)
class WebExamplesTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Map<WebApplicationType, ConfigurableApplicationContext> STARTED = new HashMap<>();

    @AfterAll
    static void close() {
        STARTED.values().forEach(ConfigurableApplicationContext::close);
        STARTED.clear();
    }

    @ParameterizedTest
    @CsvSource({
        "SERVLET, value",
        "SERVLET, stage",
        "SERVLET, mono",
        "REACTIVE, value",
        "REACTIVE, stage",
        "REACTIVE, mono"
    })
    void aHeldLeaseIsAConflictWithTheTimeOfItsExpiry(WebApplicationType type, String method) throws Exception {
        LeaseRequest request = LeaseRequest.of("order").ttl(Duration.ofSeconds(15));
        try (Lease held = leases(type).acquire(request)) {
            HttpResponse<String> reply = post(type, method);

            assertThat(reply.statusCode()).isEqualTo(409);
            assertThat(reply.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(reply.body()).contains("\"status\":409", "'order'", "here", "" + held.fencingToken());
            assertThat(retryAfter(reply)).as("the ttl and some seconds").isBetween(1, 25);
        }
        assertThat(post(type, method).body()).isEqualTo("done");
    }

    @ParameterizedTest
    @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aLongHoldIsAConflictWithTheLongestTime(WebApplicationType type) throws Exception {
        LeaseRequest request = LeaseRequest.of("kept").cooldown(Duration.ofHours(1));
        leases(type).acquire(request).close();

        HttpResponse<String> reply = post(type, "kept");

        assertThat(reply.statusCode()).isEqualTo(409);
        assertThat(retryAfter(reply)).isEqualTo(60);
    }

    @ParameterizedTest
    @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aPausedLeaseIsUnavailableUntilThePauseEnds(WebApplicationType type) throws Exception {
        leases(type).pauses().pause("paused", Instant.now().plusSeconds(55), "stocktaking", "ada");

        HttpResponse<String> reply = post(type, "paused");

        assertThat(reply.statusCode()).isEqualTo(503);
        assertThat(reply.body()).contains("stocktaking");
        assertThat(retryAfter(reply)).isBetween(6, 56);
    }

    @ParameterizedTest
    @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aRunThatIsDoneIsAConflictThatNoRepetitionEnds(WebApplicationType type) throws Exception {
        assertThat(post(type, "once").statusCode()).isEqualTo(200);

        HttpResponse<String> reply = post(type, "once");

        assertThat(reply.statusCode()).isEqualTo(409);
        assertThat(reply.headers().firstValue("Retry-After")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "SERVLET, store, 503", "SERVLET, interrupted, 503", "SERVLET, closed, 503", "SERVLET, lost, 500",
        "REACTIVE, store, 503", "REACTIVE, interrupted, 503", "REACTIVE, closed, 503", "REACTIVE, lost, 500"
    })
    void otherExceptionsTellWhetherARepetitionIsSafe(
            WebApplicationType type, String failure, int status, CapturedOutput output) throws Exception {
        HttpResponse<String> reply = post(type, "fail/" + failure);

        assertThat(reply.statusCode()).isEqualTo(status);
        assertThat(reply.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(reply.headers().firstValue("Retry-After").isPresent()).isEqualTo(status == 503);
        assertThat(reply.body()).doesNotContain("secret-table");
        assertThat(output.toString().contains("secret-table")).isEqualTo(failure.equals("store"));
    }

    private static int retryAfter(HttpResponse<String> reply) {
        return Integer.parseInt(reply.headers().firstValue("Retry-After").orElseThrow());
    }

    private static LeaseManager leases(WebApplicationType type) {
        return started(type).getBean(LeaseManager.class);
    }

    private static HttpResponse<String> post(WebApplicationType type, String path) throws Exception {
        String port = started(type).getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + path))
                .POST(BodyPublishers.noBody())
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    private static ConfigurableApplicationContext started(WebApplicationType type) {
        return STARTED.computeIfAbsent(
                type,
                absent -> new SpringApplicationBuilder(Shop.class)
                        .web(type)
                        .properties(
                                "lease.store=in-memory",
                                "lease.owner=here",
                                "lease.pause.enabled=true",
                                "server.address=127.0.0.1",
                                "server.port=0",
                                "spring.main.banner-mode=off")
                        .run());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.servlet."
                        + "ManagementWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.reactive."
                        + "ReactiveManagementWebSecurityAutoConfiguration"
            })
    @Import({LeaseProblems.class, Orders.class, OrderController.class})
    static class Shop {}

    static class Orders {

        @DistributedLease("order")
        public String value() {
            return "done";
        }

        @DistributedLease("order")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLease("order")
        public Mono<String> mono() {
            return Mono.just("done");
        }

        @DistributedLease("kept")
        public String kept() {
            return "done";
        }

        @DistributedLease("paused")
        public String paused() {
            return "done";
        }

        @DistributedLease(key = "books", once = "2026-11-25")
        public void once() {}
    }

    @RestController
    static class OrderController {

        private final Orders orders;

        OrderController(Orders orders) {
            this.orders = orders;
        }

        @PostMapping("/value")
        String value() {
            return orders.value();
        }

        @PostMapping("/stage")
        CompletableFuture<String> stage() {
            return orders.stage();
        }

        @PostMapping("/mono")
        Mono<String> mono() {
            return orders.mono();
        }

        @PostMapping("/kept")
        String kept() {
            return orders.kept();
        }

        @PostMapping("/paused")
        String paused() {
            return orders.paused();
        }

        @PostMapping("/once")
        String once() {
            orders.once();
            return "done";
        }

        @PostMapping("/fail/{failure}")
        String fail(@PathVariable("failure") String failure) {
            throw switch (failure) {
                case "store" -> new LeaseStoreException("Table 'secret-table' cannot be reached", null);
                case "interrupted" -> new LeaseInterruptedException("Interrupted", new InterruptedException());
                case "closed" -> new LeaseException("Lease manager is closed", null);
                default -> new LeaseLostException("Lease 'order' was lost", LeaseLossReason.TAKEN);
            };
        }
    }
}
