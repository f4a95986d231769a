package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.engine.LogLines;
import io.leasekit.store.StoreRequest;
import java.net.URI;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.core.retry.RetryPolicy;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.AcquireInitialTokenResponse;
import software.amazon.awssdk.retries.api.RecordSuccessRequest;
import software.amazon.awssdk.retries.api.RecordSuccessResponse;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A client that retries by itself is seen when its store is built. */
@SuppressWarnings("deprecation") // applications may use retry policies still
class RetryingClientTest extends AnsweredByWireMock {

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    static Stream<ClientOverrideConfiguration> retrying() {
        return Stream.of(
                ClientOverrideConfiguration.builder().build(),
                ClientOverrideConfiguration.builder()
                        .retryStrategy(RetryMode.STANDARD)
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryStrategy(RetryMode.ADAPTIVE_V2)
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryStrategy(AwsRetryStrategy.legacyRetryStrategy())
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryStrategy(strategy -> strategy.maxAttempts(2))
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryStrategy(StandardRetryStrategy.builder()
                                .maxAttempts(5)
                                .retryOnException(error -> true)
                                .build())
                        .build(),
                ClientOverrideConfiguration.builder().retryStrategy(custom(3)).build(),
                ClientOverrideConfiguration.builder()
                        .retryPolicy(RetryMode.LEGACY)
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryPolicy(RetryMode.STANDARD)
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryPolicy(policy -> policy.numRetries(1))
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryPolicy(RetryPolicy.defaultRetryPolicy())
                        .build());
    }

    static Stream<ClientOverrideConfiguration> single() {
        return Stream.of(
                ClientOverrideConfiguration.builder()
                        .retryStrategy(AwsRetryStrategy.doNotRetry())
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryStrategy(strategy -> strategy.maxAttempts(1))
                        .build(),
                ClientOverrideConfiguration.builder().retryStrategy(custom(1)).build(),
                ClientOverrideConfiguration.builder()
                        .retryPolicy(RetryPolicy.none())
                        .build(),
                ClientOverrideConfiguration.builder()
                        .retryPolicy(policy -> policy.numRetries(0))
                        .build());
    }

    /** A strategy of the application's own. */
    private static RetryStrategy custom(int attempts) {
        RetryStrategy delegate =
                StandardRetryStrategy.builder().maxAttempts(attempts).build();
        return new RetryStrategy() {
            @Override
            public AcquireInitialTokenResponse acquireInitialToken(AcquireInitialTokenRequest request) {
                return delegate.acquireInitialToken(request);
            }

            @Override
            public RefreshRetryTokenResponse refreshRetryToken(RefreshRetryTokenRequest request) {
                return delegate.refreshRetryToken(request);
            }

            @Override
            public RecordSuccessResponse recordSuccess(RecordSuccessRequest request) {
                return delegate.recordSuccess(request);
            }

            @Override
            public int maxAttempts() {
                return delegate.maxAttempts();
            }

            @Override
            public Builder<?, ?> toBuilder() {
                return delegate.toBuilder();
            }
        };
    }

    @ParameterizedTest
    @MethodSource("retrying")
    void aClientThatRetriesIsWarnedOfOnce(ClientOverrideConfiguration configuration) {
        build(configuration);

        assertThat(logged.list)
                .singleElement()
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
                .asString()
                .startsWith(
                        "WARN The DynamoDB client of lease table 'jobs' retries by itself, expected one that does not")
                .endsWith("retryStrategy(AwsRetryStrategy.doNotRetry()))");
    }

    @ParameterizedTest
    @MethodSource("single")
    void aClientWithOneAttemptIsFine(ClientOverrideConfiguration configuration) {
        server.stubFor(any(anyUrl()).willReturn(RecordedReplies.internalServerError()));

        try (DynamoDbAsyncClient client = clientOf(configuration)) {
            DynamoDbLeaseStore.create(client, "jobs")
                    .send(new StoreRequest.Read("key"), Duration.ofSeconds(20))
                    .toCompletableFuture()
                    .join();
        }

        assertThat(logged.list).isEmpty();
        assertThat(server.getAllServeEvents())
                .as("requests, although each fails")
                .hasSize(1);
    }

    /** The defaults of the environment are read when the client is built. */
    @ParameterizedTest
    @CsvSource({"aws.retryMode, standard", "aws.retryMode, adaptive", "aws.newRetries2026, true"})
    void aDefaultOfTheEnvironmentIsSeen(String property, String value) {
        System.setProperty(property, value);
        try {
            build(ClientOverrideConfiguration.builder().build());
        } finally {
            System.clearProperty(property);
        }

        assertThat(logged.list).hasSize(1);
    }

    @Test
    void oneAttemptByTheEnvironmentIsFine() {
        System.setProperty("aws.maxAttempts", "1");
        try {
            build(ClientOverrideConfiguration.builder()
                    .retryStrategy(RetryMode.STANDARD)
                    .build());
        } finally {
            System.clearProperty("aws.maxAttempts");
        }

        assertThat(logged.list).isEmpty();
    }

    private static void build(ClientOverrideConfiguration configuration) {
        try (DynamoDbAsyncClient client = clientOf(configuration)) {
            DynamoDbLeaseStore.create(client, "jobs");
        }
    }

    private static DynamoDbAsyncClient clientOf(ClientOverrideConfiguration configuration) {
        return LocalDynamoDb.clientBuilder(URI.create("http://localhost:" + server.port()))
                .overrideConfiguration(configuration)
                .build();
    }
}
