package io.leasekit.spring.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Changes the DynamoDB client that leases use, for a proxy, a trust store, an interceptor. Beans of this type are called in
 * their order, once, after region, credentials and endpoint were set; retries are switched off after them, since leases retry
 * by themselves.
 */
@FunctionalInterface
public interface LeaseDynamoDbClientCustomizer {

    /**
     * Changes the builder. For another HTTP client, or one with a proxy, set a builder of it by {@code httpClientBuilder}; the
     * client is closed with the application. ({@code httpClient} does not go together with the builder that is set already.)
     */
    void customize(DynamoDbAsyncClientBuilder builder);
}
