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

/**
 * Sends requests through a client and translates their outcomes. An exception of the SDK is the failure of the future. Immutable,
 * so thread-safe.
 */
final class Calls {

    private static final Logger log = LoggerFactory.getLogger(Calls.class);

    private final boolean retrying;

    Calls(DynamoDbAsyncClient client) {
        this.retrying = isRetrying(client);
    }

    /** A retry of the SDK counts as one attempt for the engine, which waits for it. */
    static void warnIfRetrying(DynamoDbAsyncClient client, String table) {
        if (isRetrying(client)) {
            log.warn(
                    "The DynamoDB client of lease table '{}' retries by itself, expected one that does not, because a"
                            + " renewal can wait for its retries until the lease is lost: build it with"
                            + " overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()))",
                    table);
        }
    }

    /** A retry policy, the SDK's older form, takes precedence over the strategy that the client also shows then. */
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
     * Sends a request. The translations also receive whether other copies of the request may have been sent.
     *
     * @param call calls the client
     * @param onSuccess translates a reply of DynamoDB
     * @param onFailure translates any other outcome
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
                return failed(e, onFailure); // not an error of DynamoDB, so the write is unknown
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

    /** An interrupted thread can send, too: the SDK would refuse, also to send a release, and would clear the interrupt. */
    private static <T> CompletableFuture<T> called(Supplier<CompletableFuture<T>> call) {
        boolean interrupted = Thread.interrupted();
        CompletableFuture<T> sent;
        try {
            sent = call.get();
        } catch (Throwable e) { // a missing class of the SDK, for example
            sent = CompletableFuture.failedFuture(e);
        }
        if (interrupted || Failures.isInterrupt(sent)) {
            Thread.currentThread().interrupt();
        }
        return sent;
    }

    private static <T extends DynamoDbResponse> T checked(T reply) {
        if (!Replies.isFromDynamoDb(reply.sdkHttpResponse())) {
            throw Replies.notFromDynamoDb();
        }
        return reply;
    }
}
