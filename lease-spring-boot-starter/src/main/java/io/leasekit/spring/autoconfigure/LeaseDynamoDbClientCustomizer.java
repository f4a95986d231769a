package io.leasekit.spring.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Customizes the DynamoDB client for leases, for example with a proxy, a trust store or an interceptor. Beans of this
 * type are called once, in their order, after region, credentials and endpoint are set. The SDK's retries are switched
 * off afterwards, because the lease engine has its own.
 *
 * <p>The override configuration that a customizer sets is added to the earlier one, such as the headers and metric
 * publishers of the application's client. It replaces a header or timeout that it names, and removes nothing. Providers
 * of credentials, endpoints and auth schemes that a customizer passes are not closed with the client, nor are executors.
 */
@FunctionalInterface
public interface LeaseDynamoDbClientCustomizer {

    /**
     * Customizes the builder. To use another HTTP client, or one with a proxy, pass its builder to
     * {@code httpClientBuilder}; the HTTP client is then closed with the application. {@code httpClient} conflicts with
     * the HTTP client builder that is already set.
     */
    void customize(DynamoDbAsyncClientBuilder builder);
}
