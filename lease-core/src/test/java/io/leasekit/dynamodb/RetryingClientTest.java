package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.engine.LogLines;
import java.net.URI;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A client that retries by itself is seen when its store is built. */
class RetryingClientTest {

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
                        .build());
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

    @Test
    void aClientWithOneAttemptIsFine() {
        build(ClientOverrideConfiguration.builder()
                .retryStrategy(AwsRetryStrategy.doNotRetry())
                .build());
        build(ClientOverrideConfiguration.builder()
                .retryStrategy(strategy -> strategy.maxAttempts(1))
                .build());

        assertThat(logged.list).isEmpty();
    }

    private static void build(ClientOverrideConfiguration configuration) {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder(URI.create("http://localhost:8000"))
                .overrideConfiguration(configuration)
                .build()) {
            DynamoDbLeaseStore.create(client, "jobs");
        }
    }
}
