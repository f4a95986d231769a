package io.leasekit.spring.autoconfigure;

import io.leasekit.text.Text;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.client.config.SdkClientConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Creates a DynamoDB client for leases alone, so that heartbeats never queue behind the application's requests.
 */
final class LeaseDynamoDbClientFactory {

    // with the SDK's default of 50 connections, one server that does not answer delays requests to other servers by
    // hundreds of milliseconds
    private static final int MAX_CONCURRENCY = 128;

    // shorter than the request timeout of 2 s, so a connection timeout proves that the request was not sent
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(1);

    private final LeaseClientConnection connection;
    private final @Nullable UserClientSettings settings;
    private final List<LeaseDynamoDbClientCustomizer> customizers;

    LeaseDynamoDbClientFactory(
            LeaseClientConnection connection,
            @Nullable UserClientSettings settings,
            List<LeaseDynamoDbClientCustomizer> customizers) {
        this.connection = connection;
        this.settings = settings;
        this.customizers = customizers;
    }

    /** Closing the client releases all its resources. */
    DynamoDbAsyncClient create() {
        DynamoDbAsyncClientBuilder builder = DynamoDbAsyncClient.builder();
        // The class path may contain several HTTP clients, so the factory sets one explicitly.
        LeaseHttpClient.Builder http = LeaseHttpClient.builder(NettyNioAsyncHttpClient.builder()
                .maxConcurrency(MAX_CONCURRENCY)
                .connectionTimeout(CONNECTION_TIMEOUT));
        builder.httpClientBuilder(http);
        connection.applyTo(builder);
        if (settings != null) {
            settings.applyTo(builder);
        }
        customizers.forEach(customizer -> customize(builder, customizer));
        switchRetriesOff(builder);
        builder.addPlugin(Borrowed::lend);
        DynamoDbAsyncClient client = build(builder);
        if (settings != null) {
            settings.log(client, http.isBuilt());
        }
        return client;
    }

    /** Merges the override configuration of the customizer with the earlier configuration, which the SDK would drop. */
    private static void customize(DynamoDbAsyncClientBuilder builder, LeaseDynamoDbClientCustomizer customizer) {
        ClientOverrideConfiguration before = builder.overrideConfiguration();
        customizer.customize(builder);
        builder.overrideConfiguration(sum(before, builder.overrideConfiguration()));
    }

    private static ClientOverrideConfiguration sum(
            ClientOverrideConfiguration before, ClientOverrideConfiguration after) {
        ClientOverrideConfiguration merged = SdkClientConfiguration.fromOverrideConfiguration(after)
                .merge(SdkClientConfiguration.fromOverrideConfiguration(before))
                .asOverrideConfiguration();
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(before.headers());
        headers.putAll(after.headers());
        return merged.copy(all -> all.headers(headers)
                .executionInterceptors(union(before.executionInterceptors(), after.executionInterceptors()))
                .metricPublishers(union(before.metricPublishers(), after.metricPublishers()))
                .executionAttributes(after.executionAttributes().merge(before.executionAttributes())));
    }

    private static <T> List<T> union(List<T> before, List<T> after) {
        return Stream.concat(before.stream(), after.stream()).distinct().toList();
    }

    // only the lease engine retries, because the engine could not distinguish a retry of the SDK from the first request
    private static void switchRetriesOff(DynamoDbAsyncClientBuilder builder) {
        builder.overrideConfiguration(builder.overrideConfiguration()
                .copy(configuration -> configuration.retryStrategy(AwsRetryStrategy.doNotRetry())));
    }

    private DynamoDbAsyncClient build(DynamoDbAsyncClientBuilder builder) {
        try {
            return builder.build();
        } catch (SdkClientException | IllegalArgumentException e) {
            throw new LeaseSetupException(
                    "The DynamoDB client for leases cannot be created: " + Text.why(e), fix(e), e);
        }
    }

    private String fix(RuntimeException failure) {
        if (failure instanceof IllegalArgumentException) {
            return "Correct the LeaseDynamoDbClientCustomizer beans. An HTTP client is set with httpClientBuilder().";
        }
        return connection.region() == null
                ? "Set 'lease.dynamodb.region', or define a DynamoDbClient bean that has a region. In tests, use"
                        + " @AutoConfigureTestLeases of 'lease-test', and for local runs set 'lease.store' to 'in-memory'."
                : "Correct the properties 'lease.dynamodb.*'.";
    }
}
