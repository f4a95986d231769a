package io.leasekit.spring.autoconfigure;

import java.util.List;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/** Makes the DynamoDB client that only leases use, so that heartbeats never queue behind the application's requests. */
final class LeaseDynamoDbClientFactory {

    private final LeaseClientConnection connection;
    private final List<LeaseDynamoDbClientCustomizer> customizers;

    LeaseDynamoDbClientFactory(LeaseClientConnection connection, List<LeaseDynamoDbClientCustomizer> customizers) {
        this.connection = connection;
        this.customizers = customizers;
    }

    /**
     * Returns a new client; closing it closes all that was made for it.
     *
     * @throws LeaseSetupException if nothing tells the region
     */
    DynamoDbAsyncClient create() {
        DynamoDbAsyncClientBuilder builder = DynamoDbAsyncClient.builder();
        // named, since an application may have several HTTP clients on its class path
        builder.httpClientBuilder(NettyNioAsyncHttpClient.builder());
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
        } catch (SdkClientException e) {
            throw new LeaseSetupException(
                    "The DynamoDB client of leases cannot be made: " + e.getMessage(),
                    connection.region() == null
                            ? "Set 'lease.dynamodb.region', or define a DynamoDbClient bean to take the region from."
                            : "Correct the properties 'lease.dynamodb.*'.",
                    e);
        }
    }
}
