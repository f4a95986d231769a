package io.leasekit.spring.autoconfigure;

import java.time.Duration;
import java.util.List;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/** Makes the DynamoDB client that only leases use, so that heartbeats never queue behind the application's requests. */
final class LeaseDynamoDbClientFactory {

    // at the SDK's default of 50, one peer that hangs delays the others by hundreds of milliseconds
    private static final int MAX_CONCURRENCY = 128;

    // shorter than the 2 s of a request, so that a connection that is not made is surely a request that was not sent
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(1);

    private final LeaseClientConnection connection;
    private final List<LeaseDynamoDbClientCustomizer> customizers;

    LeaseDynamoDbClientFactory(LeaseClientConnection connection, List<LeaseDynamoDbClientCustomizer> customizers) {
        this.connection = connection;
        this.customizers = customizers;
    }

    /**
     * Returns a new client; closing it closes all that was made for it.
     *
     * @throws LeaseSetupException if nothing tells the region, or a customizer's settings contradict each other
     */
    DynamoDbAsyncClient create() {
        DynamoDbAsyncClientBuilder builder = DynamoDbAsyncClient.builder();
        // named, since an application may have several HTTP clients on its class path
        builder.httpClientBuilder(NettyNioAsyncHttpClient.builder()
                .maxConcurrency(MAX_CONCURRENCY)
                .connectionTimeout(CONNECTION_TIMEOUT));
        connection.applyTo(builder);
        customizers.forEach(customizer -> customizer.customize(builder));
        switchRetriesOff(builder);
        return build(builder);
    }

    // a copy of a request that was sent twice by the SDK could not be told from the first; the engine retries
    private static void switchRetriesOff(DynamoDbAsyncClientBuilder builder) {
        builder.overrideConfiguration(builder.overrideConfiguration()
                .copy(configuration -> configuration.retryStrategy(AwsRetryStrategy.doNotRetry())));
    }

    private DynamoDbAsyncClient build(DynamoDbAsyncClientBuilder builder) {
        try {
            return builder.build();
        } catch (SdkClientException | IllegalArgumentException e) {
            throw new LeaseSetupException(
                    "The DynamoDB client of leases cannot be made: " + e.getMessage(), cure(e), e);
        }
    }

    private String cure(RuntimeException failure) {
        if (failure instanceof IllegalArgumentException) {
            return "Correct the LeaseDynamoDbClientCustomizer beans; they set an HTTP client by httpClientBuilder().";
        }
        return connection.region() == null
                ? "Set 'lease.dynamodb.region', or define a DynamoDbClient bean to take the region from. In tests: define"
                        + " an InMemoryLeaseStore bean, or set 'lease.enabled' to 'false'."
                : "Correct the properties 'lease.dynamodb.*'.";
    }
}
