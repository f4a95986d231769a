package io.leasekit.dynamodb;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;

/** Sends requests through a client and translates the replies and errors. Thread-safe. */
final class Calls {

    private static final Logger log = LoggerFactory.getLogger(Calls.class);

    private final boolean retrying;

    Calls(DynamoDbAsyncClient client) {
        this.retrying = isRetrying(client);
    }

    /**
     * The engine sees all retries of the SDK as one attempt, so retries can delay a renewal until the lease is lost.
     */
    static void warnIfRetrying(DynamoDbAsyncClient client, String table) {
        if (isRetrying(client)) {
            log.warn(
                    "The DynamoDB client of lease table '{}' retries by itself, expected one that does not, because a"
                            + " renewal can wait for its retries until the lease is lost: build it with"
                            + " overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()))",
                    table);
        }
    }

    /**
     * If the configuration contains both a retry policy (the older form) and a retry strategy, the SDK uses the policy.
     */
    @SuppressWarnings("deprecation")
    private static boolean isRetrying(DynamoDbAsyncClient client) {
        ClientOverrideConfiguration configuration =
                client.serviceClientConfiguration().overrideConfiguration();
        return configuration
                .retryPolicy()
                .map(policy -> policy.numRetries() > 0)
                .orElseGet(() -> configuration
                        .retryStrategy()
                        .map(strategy -> strategy.maxAttempts() > 1)
                        .orElse(true));
    }

    /**
     * {@code onSuccess} and {@code onFailure} also receive {@code true} if the client may have sent the request several
     * times.
     */
    <T extends DynamoDbResponse, R> CompletionStage<R> send(
            Supplier<CompletableFuture<T>> call,
            BiFunction<T, Boolean, R> onSuccess,
            BiFunction<Throwable, Boolean, R> onFailure) {
        return called(call).handle((reply, error) -> {
            try {
                return error == null
                        ? onSuccess.apply(checked(reply), retrying)
                        : failed(Failures.unwrap(error), onFailure);
            } catch (RuntimeException e) {
                // This code, not DynamoDB, threw the exception, so the outcome of the write is unknown.
                return failed(e, onFailure);
            }
        });
    }

    private <R> R failed(Throwable error, BiFunction<Throwable, Boolean, R> onFailure) {
        return onFailure.apply(error, isResent(error));
    }

    private boolean isResent(Throwable error) {
        Integer attempts = error instanceof SdkException known ? known.numAttempts() : null;
        return attempts == null ? retrying : attempts != 1;
    }

    /**
     * On an interrupted thread, the SDK would refuse to send any request, even a release, and would clear the interrupt
     * flag.
     */
    private static <T> CompletableFuture<T> called(Supplier<CompletableFuture<T>> call) {
        boolean interrupted = Thread.interrupted();
        CompletableFuture<T> sent;
        try {
            sent = call.get();
        } catch (Throwable e) { // for example, a class of the SDK is missing
            sent = CompletableFuture.failedFuture(e);
        }
        if (interrupted || Failures.isInterrupt(sent)) {
            Thread.currentThread().interrupt();
        }
        return sent;
    }

    private static <T extends DynamoDbResponse> T checked(T reply) {
        if (!SdkReplies.isFromDynamoDb(reply.sdkHttpResponse())) {
            throw SdkReplies.notFromDynamoDb();
        }
        return reply;
    }
}
