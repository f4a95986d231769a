package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.containing;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.http.HttpHeader;
import com.github.tomakehurst.wiremock.http.HttpHeaders;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import io.leasekit.Lease;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseManager;
import io.leasekit.ReleaseMode;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Faults between the engine and DynamoDB Local: lost replies to applied writes, late replies, late copies of requests, and
 * outages. A held lease is never lost and never granted twice. Its end in the table is never before the end that its holder
 * assumes.
 */
class WireFaultsIT {

    /** So long that a busy machine does not lose a lease in an outage. No test waits for its end. */
    private static final Duration TTL = Duration.ofSeconds(20);

    private static final Duration HEARTBEAT = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** Longer than any deadline of the engine. */
    private static final int TOO_LATE_MILLIS = 2_500;

    enum Retries {
        /** The starter's client. */
        OFF,
        /** A user's client with its own retries: up to three copies of the same request, 400 ms each. */
        ON;

        void configure(ClientOverrideConfiguration.Builder client) {
            if (this == OFF) {
                client.retryStrategy(AwsRetryStrategy.doNotRetry());
            } else {
                client.retryStrategy(retries -> retries.maxAttempts(3)).apiCallAttemptTimeout(Duration.ofMillis(400));
            }
        }
    }

    private final Wire wire = new Wire();
    private final WireMockServer proxy =
            new WireMockServer(WireMockConfiguration.options().dynamicPort());
    private final LeaseManager others = LocalTable.leases(LocalTable.client()).build();
    private final String key = UUID.randomUUID().toString();
    private DynamoDbAsyncClient client;
    private LeaseManager leases;

    @BeforeEach
    void startProxy() {
        proxy.start();
        proxy.stubFor(any(anyUrl())
                .atPriority(9)
                .willReturn(aResponse().proxiedFrom(LocalDynamoDb.endpoint().toString())));
    }

    @AfterEach
    void close() {
        proxy.resetAll();
        others.close();
        leases.close();
        client.close();
        proxy.stop();
    }

    private void begin(Retries retries) {
        begin(retries, URI.create("http://localhost:" + proxy.port()));
    }

    private void begin(Retries retries, URI endpoint) {
        client = LocalDynamoDb.clientBuilder(endpoint)
                .overrideConfiguration(c -> {
                    retries.configure(c);
                    c.addExecutionInterceptor(wire);
                })
                .build();
        leases = LocalTable.leases(client).ttl(TTL).heartbeatInterval(HEARTBEAT).build();
    }

    // ---- the reply is lost, the write was applied

    static Stream<Arguments> losses() {
        return Stream.of(Retries.values())
                .flatMap(retries -> Stream.of(Loss.values()).map(loss -> Arguments.of(retries, loss)));
    }

    enum Loss {
        /** One reply is lost: an SDK that retries is refused because of its own first copy. */
        ONE_REPLY,
        /** The replies to all copies of one request are lost. Without retries these are several requests. */
        THREE_REPLIES,
        /** The reply arrives after the deadline. */
        TOO_LATE
    }

    private void lose(Loss loss, Predicate<SdkRequest> sort, String inBody) {
        switch (loss) {
            case ONE_REPLY -> wire.loseReplies(1, sort);
            case THREE_REPLIES -> wire.loseReplies(3, sort);
            case TOO_LATE ->
                once(
                        inBody,
                        aResponse()
                                .proxiedFrom(LocalDynamoDb.endpoint().toString())
                                .withFixedDelay(TOO_LATE_MILLIS));
        }
    }

    private void assertLost(Loss loss) {
        assertThat(isLost(loss)).isTrue();
    }

    private boolean isLost(Loss loss) {
        return loss == Loss.TOO_LATE
                ? proxy.getAllScenarios().getScenarios().stream()
                        .map(Scenario::getState)
                        .toList()
                        .equals(List.of("over"))
                : wire.leftToLose() == 0;
    }

    @ParameterizedTest
    @MethodSource("losses")
    void anAcquireWhoseReplyIsLostIsGrantedOnce(Retries retries, Loss loss) {
        begin(retries);
        lose(loss, Wire::isAcquire, "#" + Attributes.TOKEN);

        Lease lease = leases.tryAcquire(key).orElseThrow();

        assertLost(loss);
        assertThat(lease.fencingToken()).isEqualTo(tokenInTable());
        assertThat(others.tryAcquire(key)).isEmpty();
        assertRenewed(lease);
        lease.close();
        acquireReleased();
    }

    @ParameterizedTest
    @MethodSource("losses")
    void aLeaseWhoseRenewalsRepliesAreLostIsNotLost(Retries retries, Loss loss) {
        begin(retries);
        Lease lease = leases.tryAcquire(key).orElseThrow();
        lose(loss, Wire::isRenewal, "SET #" + Attributes.VERSION);

        assertHeldUntil(lease, () -> isLost(loss));
        assertRenewed(lease);

        assertLost(loss);
        assertThat(others.tryAcquire(key)).isEmpty();
        lease.close();
        acquireReleased();
    }

    @ParameterizedTest
    @MethodSource("losses")
    void aReleaseWhoseReplyIsLostFreesTheLeaseAndNobodyElses(Retries retries, Loss loss) {
        begin(retries);
        Lease lease = leases.tryAcquire(key).orElseThrow();
        lose(loss, Wire::isRelease, "REMOVE #" + Attributes.VERSION);

        lease.close();
        Lease theirs = acquireReleased();

        lease.releaseAsync()
                .toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        assertLost(loss);
        assertThat(tokenInTable()).isEqualTo(theirs.fencingToken());
        assertThat(version()).isNotNull();
    }

    @Tag("full")
    @Test
    void aDeleteWhoseReplyIsLostIsDone() {
        begin(Retries.OFF);
        LeaseManager deleting = LocalTable.leases(client)
                .ttl(TTL)
                .heartbeatInterval(HEARTBEAT)
                .releaseMode(ReleaseMode.DELETE)
                .build();
        Lease lease = deleting.tryAcquire(key).orElseThrow();
        assertHeldFor(lease, Duration.ofSeconds(7)); // before, the clock's uncertainty covers its token
        wire.loseReplies(1, Wire::isDelete);

        lease.releaseAsync()
                .toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();

        assertThat(wire.leftToLose()).isZero();
        assertThat(wire.count(Wire::isDelete)).isGreaterThanOrEqualTo(2);
        assertThat(item()).isEmpty();
        deleting.close();
    }

    // ---- interrupts, for which the SDK would not send

    @Test
    void anInterruptedThreadReleasesItsLease() {
        begin(Retries.OFF);
        Lease lease = leases.tryAcquire(key).orElseThrow();

        Thread.currentThread().interrupt();
        lease.close();

        assertThat(Thread.interrupted()).isTrue();
        acquireReleased();
    }

    @Test
    void anInterruptedThreadsAcquireLeavesNothingBehind() {
        begin(Retries.OFF);

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> leases.tryAcquire(key)).isInstanceOf(LeaseInterruptedException.class);

        assertThat(Thread.interrupted()).isTrue();
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> others.tryAcquire(key).isPresent());
    }

    // ---- late copies

    @Tag("full")
    @Test
    void lateCopiesOfAnAcquireAndOfARenewalChangeNothing() {
        begin(Retries.OFF);
        Lease lease = leases.tryAcquire(key).orElseThrow();
        Awaitility.await().atMost(PATIENCE).until(() -> wire.count(Wire::isRenewal) >= 3);

        assertRefused(wire.sent(Wire::isAcquire).get(0));
        assertRefused(wire.sent(Wire::isRenewal).get(0));
        assertRenewed(lease);
        assertRenewed(lease);

        lease.close();
        awaitRelease();
        assertRefused(wire.sent(Wire::isAcquire).get(0));
        assertRefused(wire.sent(Wire::isRenewal).get(0));
        Lease theirs = others.tryAcquire(key).orElseThrow();
        wire.sent(request -> request instanceof UpdateItemRequest).forEach(this::assertRefused);
        assertThat(theirs.isValid()).isTrue();
    }

    private void assertRefused(SdkRequest copy) {
        assertThatThrownBy(() ->
                        LocalTable.client().updateItem((UpdateItemRequest) copy).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(ConditionalCheckFailedException.class);
    }

    // ---- outages that end

    enum Outage {
        THROTTLED,
        TRANSACTION_CONFLICT,
        WRONG_CLOCK,
        ACCESS_DENIED,
        INTERNAL_ERROR,
        PROXY_ERROR,
        RESET,
        HUNG;

        ResponseDefinitionBuilder reply() {
            return switch (this) {
                case THROTTLED -> undated(RecordedReplies.throttled());
                case TRANSACTION_CONFLICT -> undated(RecordedReplies.transactionConflict());
                case WRONG_CLOCK -> undated(RecordedReplies.signatureExpired());
                case ACCESS_DENIED -> undated(RecordedReplies.accessDenied("UpdateItem"));
                case INTERNAL_ERROR -> undated(RecordedReplies.internalServerError());
                case PROXY_ERROR -> RecordedReplies.ofProxy(502);
                case RESET -> aResponse().withFault(Fault.CONNECTION_RESET_BY_PEER);
                case HUNG -> RecordedReplies.ofProxy(504).withFixedDelay(TOO_LATE_MILLIS);
            };
        }

        /** The recorded date would contradict the clock. */
        private static ResponseDefinitionBuilder undated(ResponseDefinitionBuilder reply) {
            return reply.withHeaders(new HttpHeaders(new HttpHeader("x-amzn-RequestId", "1")));
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(Outage.class)
    void renewalsGoOnThroughAnOutageThatEndsInTime(Outage outage) {
        begin(Retries.OFF);
        Lease lease = leases.tryAcquire(key).orElseThrow();

        always(outage.reply());
        assertHeldWhileTwoRenewalsFail(lease);
        restore();

        assertRenewed(lease);
        assertThat(others.tryAcquire(key)).isEmpty();
        lease.close();
        acquireReleased();
    }

    @Test
    void renewalsGoOnThroughRefusedConnections() {
        begin(Retries.OFF);
        Lease lease = leases.tryAcquire(key).orElseThrow();
        int port = proxy.port();

        proxy.stop();
        assertHeldWhileTwoRenewalsFail(lease);
        WireMockServer again =
                new WireMockServer(WireMockConfiguration.options().port(port));
        again.start();
        try {
            again.stubFor(any(anyUrl())
                    .willReturn(aResponse().proxiedFrom(LocalDynamoDb.endpoint().toString())));
            assertRenewed(lease);
            lease.close();
            acquireReleased();
        } finally {
            again.stop();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Outage.class,
            names = {"THROTTLED", "TRANSACTION_CONFLICT", "WRONG_CLOCK", "INTERNAL_ERROR", "RESET"})
    void anAcquireGoesOnThroughAShortOutageAndIsNotUnavailable(Outage outage) {
        begin(Retries.OFF);
        once("#" + Attributes.TOKEN, outage.reply());

        assertThat(leases.tryAcquire(key)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = Outage.class,
            names = {"THROTTLED", "TRANSACTION_CONFLICT", "INTERNAL_ERROR", "ACCESS_DENIED", "RESET"})
    void aReleaseGoesOnThroughAnOutage(Outage outage) {
        begin(Retries.OFF);
        Lease lease = leases.tryAcquire(key).orElseThrow();

        always(outage.reply());
        lease.releaseAsync();
        restore();

        acquireReleased();
    }

    // ---- helpers

    private void once(String inBody, ResponseDefinitionBuilder reply) {
        proxy.stubFor(post(urlEqualTo("/"))
                .atPriority(1)
                .withRequestBody(containing(inBody))
                .inScenario("once")
                .whenScenarioStateIs("Started")
                .willSetStateTo("over")
                .willReturn(reply));
    }

    private void always(ResponseDefinitionBuilder reply) {
        proxy.stubFor(any(anyUrl()).atPriority(1).willReturn(reply));
    }

    private void restore() {
        proxy.stubFor(any(anyUrl())
                .atPriority(1)
                .willReturn(aResponse().proxiedFrom(LocalDynamoDb.endpoint().toString())));
    }

    /** Each renewal is sent after the end of the one before. */
    private void assertHeldWhileTwoRenewalsFail(Lease lease) {
        int before = wire.count(Wire::isRenewal);
        assertHeldUntil(lease, () -> wire.count(Wire::isRenewal) >= before + 3);
    }

    /** Asserts that the lease is held, and that it gets an end later than its present one. */
    private void assertRenewed(Lease lease) {
        long left = lease.remaining().toNanos();
        long end = System.nanoTime() + left;
        assertHeldUntil(lease, () -> System.nanoTime() + lease.remaining().toNanos() - end > 0);
    }

    /** Takes the key, which its holder has released: an end of its ttl would leave the version in the item. */
    private Lease acquireReleased() {
        awaitRelease();
        return others.tryAcquire(key).orElseThrow();
    }

    private void awaitRelease() {
        Awaitility.await().atMost(PATIENCE).until(() -> version() == null);
    }

    private void assertHeldFor(Lease lease, Duration time) {
        Instant until = Instant.now().plus(time);
        assertHeldUntil(lease, () -> !Instant.now().isBefore(until));
    }

    /** Asserts continually that the lease is valid and not lost, and that it does not end earlier in the table. */
    private void assertHeldUntil(Lease lease, BooleanSupplier until) {
        Instant latest = Instant.now().plus(PATIENCE);
        while (!until.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(latest);
            Instant believed = Instant.now().plus(lease.remaining());
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.lost().toCompletableFuture()).isNotDone();
            assertThat(expiryInTable()).isAfterOrEqualTo(believed);
        }
    }

    private Instant expiryInTable() {
        return Instant.ofEpochSecond(
                Long.parseLong(item().get(Attributes.EXPIRY).n()));
    }

    private long tokenInTable() {
        return Long.parseLong(item().get(Attributes.TOKEN).n());
    }

    private String version() {
        AttributeValue version = item().get(Attributes.VERSION);
        return version == null ? null : version.s();
    }

    private Map<String, AttributeValue> item() {
        return LocalTable.attributes(key);
    }
}
