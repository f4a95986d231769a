package io.leasekit.benchmarks;

import java.net.URI;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** Clients of the SDK, configured as their users do. The caller closes them. */
final class Clients {

    static final int CONNECTIONS = 128;

    private Clients() {}

    /** Returns a client like that of the starter: Netty, 128 connections, no retries of the SDK. */
    static DynamoDbAsyncClient leasekit(URI endpoint) {
        return leasekit(endpoint, CONNECTIONS);
    }

    /** Returns a client like that of the starter with another number of connections. */
    static DynamoDbAsyncClient leasekit(URI endpoint, int connections, ExecutionInterceptor... watch) {
        return at(endpoint, DynamoDbAsyncClient.builder())
                .httpClientBuilder(NettyNioAsyncHttpClient.builder().maxConcurrency(connections))
                .overrideConfiguration(c -> {
                    c.retryStrategy(AwsRetryStrategy.doNotRetry());
                    for (ExecutionInterceptor interceptor : watch) {
                        c.addExecutionInterceptor(interceptor);
                    }
                })
                .build();
    }

    /** Returns an asynchronous client with the defaults of the SDK: Netty. */
    static DynamoDbAsyncClient async(URI endpoint) {
        return at(endpoint, DynamoDbAsyncClient.builder())
                .httpClientBuilder(NettyNioAsyncHttpClient.builder())
                .build();
    }

    /** Returns a synchronous client with the defaults of the SDK: Apache 5. */
    static DynamoDbClient sync(URI endpoint, ExecutionInterceptor... watch) {
        return at(endpoint, DynamoDbClient.builder())
                .httpClientBuilder(Apache5HttpClient.builder())
                .overrideConfiguration(c -> {
                    for (ExecutionInterceptor interceptor : watch) {
                        c.addExecutionInterceptor(interceptor);
                    }
                })
                .build();
    }

    /**
     * Returns a client whose updates go through an asynchronous one, each caller waiting for its reply: it shows what
     * the kind of client costs a library that is written for the other.
     */
    static DynamoDbClient overNetty(URI endpoint) {
        DynamoDbAsyncClient async = leasekit(endpoint);
        return new DynamoDbClient() {
            @Override
            public UpdateItemResponse updateItem(UpdateItemRequest request) {
                try {
                    return async.updateItem(request).join();
                } catch (CompletionException e) {
                    throw e.getCause() instanceof RuntimeException cause ? cause : e;
                }
            }

            @Override
            public String serviceName() {
                return async.serviceName();
            }

            @Override
            public void close() {
                async.close();
            }
        };
    }

    private static <B extends AwsClientBuilder<B, C>, C> B at(URI endpoint, B builder) {
        return builder.endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")));
    }
}
