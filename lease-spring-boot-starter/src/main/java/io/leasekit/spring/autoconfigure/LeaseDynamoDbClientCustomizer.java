package io.leasekit.spring.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * Changes the DynamoDB client that leases use, for a proxy, a trust store, an interceptor. Beans of this type are called in
 * their order, once, after region, credentials and endpoint were set; retries are switched off after them, since leases retry
 * by themselves.
 */
@FunctionalInterface
public interface LeaseDynamoDbClientCustomizer {

    /** Changes the builder. An HTTP client that is set here, not its builder, stays the caller's to close. */
    void customize(DynamoDbAsyncClientBuilder builder);
}
