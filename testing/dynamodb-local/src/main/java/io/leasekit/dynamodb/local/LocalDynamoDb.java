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
 * The DynamoDB Local instance of this JVM, for integration tests.
 *
 * <p>It starts at the first call and ends with the JVM. Tests share it, so each test uses its own tables or keys. With
 * the system property {@code leasekit.dynamodb.endpoint}, the implementation of DynamoDB at this address takes its place.
 *
 * <p>Thread-safe.
 */
public final class LocalDynamoDb {

    private static final @Nullable String OTHER = System.getProperty("leasekit.dynamodb.endpoint");
    private static final ReentrantLock STARTING = new ReentrantLock();
    private static @Nullable DynamoDbLocalProcess process; // guarded by STARTING

    private LocalDynamoDb() {}

    /** Returns whether another implementation takes the place of DynamoDB Local. */
    public static boolean isOther() {
        return OTHER != null;
    }

    /**
     * Returns the endpoint.
     *
     * @throws IllegalStateException if DynamoDB Local does not start within ten minutes
     */
    public static URI endpoint() {
        if (OTHER != null) {
            return URI.create(OTHER);
        }
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

    /** Returns a client builder for {@link #endpoint()}, otherwise as {@link #clientBuilder(URI)}. */
    public static DynamoDbAsyncClientBuilder clientBuilder() {
        return clientBuilder(endpoint());
    }

    /**
     * Returns a client builder for an endpoint, with dummy credentials and without the SDK's retries. The HTTP client
     * is the one on the caller's class path. The caller closes the client.
     */
    public static DynamoDbAsyncClientBuilder clientBuilder(URI endpoint) {
        return DynamoDbAsyncClient.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                .overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()));
    }
}
