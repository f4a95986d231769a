package io.leasekit.spring.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Customizes the DynamoDB client for leases, for example with a proxy, a trust store or an interceptor. Leasekit first
 * sets region, credentials and endpoint, and then calls each bean of this type once, in bean order. After all
 * customizers, Leasekit switches the SDK's retries off, because the lease engine retries requests itself.
 *
 * <p>The override configuration that a customizer sets is merged with the earlier override configuration, which may
 * contain the headers and metric publishers of the application's client. A header or timeout from the customizer
 * replaces the earlier header or timeout of the same name. All other settings of the earlier override configuration
 * remain. When the client is closed, the executors and the providers (of credentials, endpoints or auth schemes) that a
 * customizer has set stay open.
 */
@FunctionalInterface
public interface LeaseDynamoDbClientCustomizer {

    /**
     * Customizes the builder. To use another HTTP client, or an HTTP client with a proxy, pass the HTTP client's
     * builder to {@code httpClientBuilder}. Leasekit closes an HTTP client from {@code httpClientBuilder} when the
     * application shuts down. Do not call {@code httpClient}, because the builder already has an HTTP client builder,
     * and the SDK rejects both together.
     */
    void customize(DynamoDbAsyncClientBuilder builder);
}
