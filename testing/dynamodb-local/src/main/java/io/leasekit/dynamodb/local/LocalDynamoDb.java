package io.leasekit.dynamodb.local;

import java.net.URI;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/**
 * The one DynamoDB Local of this JVM, for integration tests.
 *
 * <p>It starts with the first call and ends with the JVM. Tests share it, so each uses tables or keys of its own.
 *
 * <p>Thread-safe.
 */
public final class LocalDynamoDb {

    private static final ReentrantLock STARTING = new ReentrantLock();
    private static @Nullable DynamoDbLocalProcess process; // guarded by STARTING

    private LocalDynamoDb() {}

    /**
     * Where DynamoDB Local takes requests.
     *
     * @throws IllegalStateException if it does not start within a minute
     */
    public static URI endpoint() {
        STARTING.lock();
        try {
            if (process == null) {
                process = DynamoDbLocalProcess.start();
            }
            return process.endpoint();
        } finally {
            STARTING.unlock();
        }
    }

    /** A builder of clients of {@link #endpoint()}, otherwise as {@link #clientBuilder(URI)}. */
    public static DynamoDbAsyncClientBuilder clientBuilder() {
        return clientBuilder(endpoint());
    }

    /**
     * A builder of clients of an endpoint, with made-up credentials and without the retries of the SDK. The HTTP client
     * is that of the caller's class path. Whoever builds a client closes it.
     */
    public static DynamoDbAsyncClientBuilder clientBuilder(URI endpoint) {
        return DynamoDbAsyncClient.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                .overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()));
    }
}
