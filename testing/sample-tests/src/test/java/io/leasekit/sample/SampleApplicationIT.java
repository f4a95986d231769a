package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class SampleApplicationIT {

    private static ConfigurableApplicationContext node;

    // not the sample's own port, so a sample that runs on this machine is left alone and no database stays behind
    @BeforeAll
    static void start() {
        node = SpringApplication.run(
                SampleApplication.class,
                "--sample.dynamodb-local.port=" + LocalDynamoDb.endpoint().getPort(),
                "--lease.table.name=sample-" + UUID.randomUUID(),
                "--lease.store-timeout=60s", // a busy machine may answer the first requests too late
                "--lease.owner=node-1",
                "--sample.report.cron=-",
                "--sample.import.cron=-",
                "--sample.clean-up.delay=1h",
                "--sample.clean-up.initial-delay=1h",
                "--sample.clean-up.cooldown=1s",
                "--sample.transfer.wait-for=0s",
                "--server.port=0");
    }

    @AfterAll
    static void close() {
        node.close();
    }

    @Test
    void anOrderIsShippedAndTheLogShowsByWhomUnderWhichToken(CapturedOutput output) throws Exception {
        HttpResponse<String> response = ship(17);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("Order 17 was shipped");
        awaitAcquire(output, "Lease 'order-17' acquired: owner 'node-1', token \\d{13}");
    }

    /** Another thread logs it. */
    private static void awaitAcquire(CapturedOutput output, String pattern) {
        await().atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(output).containsPattern(pattern));
    }

    @Test
    void anOrderThatIsBeingShippedElsewhereIsAConflict() throws Exception {
        try (var held = node.getBean(LeaseManager.class).tryAcquire("order-18").orElseThrow()) {
            HttpResponse<String> response = ship(18);

            assertThat(response.statusCode()).isEqualTo(409);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(response.body()).contains("'order-18'", "node-1", String.valueOf(held.fencingToken()));
            assertThat(response.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(1L, 60L);
        }
    }

    @Test
    void anOrderIsCancelledOnceItIsShipped(CapturedOutput output) throws Exception {
        CompletableFuture<HttpResponse<String>> cancelled;
        try (var held = node.getBean(LeaseManager.class).tryAcquire("order-19").orElseThrow()) {
            cancelled = HttpClient.newHttpClient()
                    .sendAsync(HttpRequest.newBuilder(at("/orders/19")).DELETE().build(), BodyHandlers.ofString());
            await().atMost(Duration.ofMinutes(10))
                    .untilAsserted(() -> assertThat(output).contains("Lease 'order-19' unavailable"));
            assertThat(held.isValid()).isTrue();
        }
        assertThat(cancelled.get(10, TimeUnit.MINUTES).body()).contains("Order 19 was cancelled");
    }

    @Test
    void anOrderIsPackedByAReactiveMethodUnderItsLease(CapturedOutput output) throws Exception {
        HttpResponse<String> response = post("/orders/20/pack?seconds=0");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).matches("Order 20 was packed under token \\d{13}\n");
        awaitAcquire(output, "Lease 'order-20' acquired: owner 'node-1'");
    }

    @Test
    void theBooksOfADayAreClosedOnce(CapturedOutput output) throws Exception {
        assertThat(post("/books/2026-11-20/close").body()).isEqualTo("Books of 2026-11-20 are closed\n");

        HttpResponse<String> again = post("/books/2026-11-20/close");
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(again.body()).contains("Run '2026-11-20' of lease 'books' is already done: ");
        assertThat(again.headers().firstValue("Retry-After")).isEmpty();
        assertThat(post("/books/2026-11-21/close").statusCode()).isEqualTo(200);
        assertThat(output).containsOnlyOnce("Books of 2026-11-20 are closed");
    }

    @Test
    void twoExportsRunAtATimeAndAThirdIsRefused() throws Exception {
        LeaseManager leases = node.getBean(LeaseManager.class);
        LeaseRequest permit = LeaseRequest.of("export").permits(2);
        try (var first = leases.tryAcquire(permit).orElseThrow()) {
            assertThat(post("/exports/c?seconds=0").body())
                    .isEqualTo("c was exported in session " + (1 - first.slot()) + "\n");
            try (var second = leases.tryAcquire(permit).orElseThrow()) {
                assertThat(second.slot()).isNotEqualTo(first.slot());
                assertThat(post("/exports/c?seconds=0").statusCode()).isEqualTo(409);
            }
        }
    }

    @Test
    void aTransferNeedsBothAccounts() throws Exception {
        try (var held = node.getBean(LeaseManager.class).tryAcquire("account-b").orElseThrow()) {
            assertThat(post("/accounts/a/transfer/b?seconds=0").statusCode()).isEqualTo(409);
            assertThat(post("/accounts/b/transfer/a?seconds=0").statusCode()).isEqualTo(409);
            assertThat(held.isValid()).isTrue();
        }
        assertThat(post("/accounts/a/transfer/b?seconds=0").body()).isEqualTo("Money was transferred from a to b\n");
    }

    @Test
    void theNodeLeads() {
        LeaseManager leases = node.getBean(LeaseManager.class);
        await().atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(leases.find("ingest"))
                        .hasValueSatisfying(lease -> assertThat(lease.owner()).isEqualTo("node-1")));
    }

    private URI at(String path) {
        return URI.create("http://127.0.0.1:" + node.getEnvironment().getProperty("local.server.port") + path);
    }

    private HttpResponse<String> ship(int order) throws IOException, InterruptedException {
        return post("/orders/" + order + "/ship?seconds=0");
    }

    private HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(at(path))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString());
    }
}
