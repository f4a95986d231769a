package io.leasekit.spring.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Customizes the DynamoDB client for leases, for example with a proxy, a trust store or an interceptor. Leasekit first
 * sets region, credentials and endpoint, and then calls each customizer once, in bean order. After all customizers have
 * run, Leasekit switches the SDK's retries off, because the lease engine retries requests itself.
 *
 * <p>Leasekit merges an override configuration from a customizer with the builder's earlier override configuration, for
 * example the headers of the application's client. A header or timeout from the customizer replaces the builder's
 * header or timeout of the same name. All other settings of the builder's override configuration remain. Closing the
 * client does not close executors or providers (of credentials, endpoints or auth schemes) from a customizer.
 */
@FunctionalInterface
public interface LeaseDynamoDbClientCustomizer {

    /**
     * Customizes the builder. To use another HTTP client, or an HTTP client with a proxy, pass the HTTP client's
     * builder to {@code httpClientBuilder}. Leasekit closes an HTTP client from {@code httpClientBuilder} when the
     * application shuts down. Do not call {@code httpClient}: the builder already has an HTTP client builder, and the
     * SDK rejects a builder with both.
     */
    void customize(DynamoDbAsyncClientBuilder builder);
}
