package io.leasekit.dynamodb;

import io.leasekit.fuzz.Draws;
import io.leasekit.store.StoreRequest;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementError;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/**
 * A client whose replies are drawn. It knows which of them leave a write undone: only DynamoDB can say so, which is known by its
 * request id, or a connection that was never made.
 */
final class ForeignReplies implements DynamoDbAsyncClient {

    private static final List<String> CODES = List.of(
            "ConditionalCheckFailed",
            "TransactionConflict",
            "None",
            "ThrottlingError",
            "ProvisionedThroughputExceeded",
            "ValidationError",
            "AccessDenied",
            "AccessDeniedException",
            "ResourceNotFound",
            "InternalServerError",
            "DuplicateItem",
            "RequestLimitExceeded",
            "of a later version");

    private static final List<String> ERRORS = List.of(
            "ValidationException",
            "AccessDeniedException",
            "ResourceNotFoundException",
            "ThrottlingException",
            "ProvisionedThroughputExceededException",
            "RequestLimitExceeded",
            "TransactionConflictException",
            "ReplicatedWriteConflictException",
            "TransactionInProgressException",
            "ExpiredTokenException",
            "UnrecognizedClientException",
            "InternalServerError",
            "of a later version",
            "");

    private static final List<String> DATES = List.of(
            "Fri, 15 Jan 2027 08:00:00 GMT",
            "Fri, 15 Jan 2027 08:00:60 GMT",
            "Mon, 15 Jan 2027 08:00:00 GMT",
            "Thu, 1 Jan 1970 00:00:00 GMT",
            "Fri, 31 Dec 999999999 23:59:59 GMT",
            "2027-01-15T08:00:00Z",
            "");

    private final StoreRequest request;
    private final Draws draws;
    private final boolean ofDynamoDb;
    private final SdkHttpResponse http;
    private boolean answered;
    private boolean surelyNotWritten;
    private final List<BatchStatementResponse> parts = new ArrayList<>();

    ForeignReplies(StoreRequest request, Draws draws) {
        this.request = request;
        this.draws = draws;
        this.ofDynamoDb = !draws.oneOf(4);
        SdkHttpResponse.Builder reply = SdkHttpResponse.builder().statusCode(200);
        if (ofDynamoDb) {
            reply.putHeader("x-amzn-RequestId", "7");
        }
        if (!draws.oneOf(4)) {
            reply.putHeader("Date", draws.oneOf(4) ? draws.text() : draws.of(DATES));
        }
        this.http = reply.build();
    }

    /** Returns whether DynamoDB has answered with a success. */
    boolean hasAnswered() {
        return answered && ofDynamoDb;
    }

    boolean hasWritten() {
        return hasAnswered() && parts.isEmpty();
    }

    boolean hasWritten(int part) {
        return hasAnswered()
                && parts.size() == request.keys().size()
                && parts.get(part).error() == null;
    }

    boolean mayHaveWritten() {
        return !surelyNotWritten && parts.isEmpty();
    }

    /** A condition that did not hold leaves its write undone, and so does any other error but one of the server. */
    boolean mayHaveWritten(int part) {
        BatchStatementError error =
                parts.size() == request.keys().size() ? parts.get(part).error() : null;
        return error == null
                || !ofDynamoDb
                || List.of("InternalServerError", "of a later version").contains(code(error));
    }

    private static String code(BatchStatementError error) {
        return String.valueOf(error.codeAsString());
    }

    // ---- answers

    private <T extends DynamoDbResponse> CompletableFuture<T> answer(Supplier<T> success) {
        if (!draws.oneOf(3)) {
            answered = true;
            return CompletableFuture.completedFuture(success.get());
        }
        Throwable error = error();
        if (draws.oneOf(4) && error instanceof RuntimeException thrown) {
            throw thrown;
        }
        return CompletableFuture.failedFuture(draws.oneOf(4) ? new CompletionException(error) : error);
    }

    private Throwable error() {
        switch (draws.below(6)) {
            case 0:
                surelyNotWritten = ofDynamoDb;
                return details(
                        ConditionalCheckFailedException.builder().item(item()), 400, "ConditionalCheckFailedException");
            case 1:
                surelyNotWritten = ofDynamoDb;
                return details(
                        TransactionCanceledException.builder().cancellationReasons(reasons()),
                        400,
                        "TransactionCanceledException");
            case 2:
                surelyNotWritten = true;
                return SdkClientException.create("no connection", new ConnectException("refused"));
            case 3:
                return draws.oneOf(2) ? ApiCallTimeoutException.create(7) : new IllegalStateException(draws.text());
            default:
                int status = draws.of(400, 403, 404, 413, 429, 500, 503, 200, 302);
                String code = draws.of(ERRORS);
                boolean refused = status >= 400 && status < 500 || isNamed(code);
                surelyNotWritten = ofDynamoDb && refused && !code.equals("TransactionInProgressException");
                return details((DynamoDbException.Builder) DynamoDbException.builder(), status, code);
        }
    }

    /** Returns whether the code alone says that nothing was written. */
    private static boolean isNamed(String code) {
        return !List.of("", "InternalServerError", "of a later version").contains(code);
    }

    private AwsServiceException details(AwsServiceException.Builder error, int status, String code) {
        AwsErrorDetails.Builder details = AwsErrorDetails.builder().errorCode(code.isEmpty() ? null : code);
        if (!draws.oneOf(6)) {
            details.errorMessage(draws.text());
        }
        details.sdkHttpResponse(http.toBuilder().statusCode(status).build());
        return error.statusCode(status)
                .awsErrorDetails(details.build())
                .message("why")
                .build();
    }

    private List<CancellationReason> reasons() {
        int count = request.keys().size() + draws.of(0, 0, 0, 0, -1, 1);
        return IntStream.range(0, Math.max(0, count))
                .mapToObj(i -> CancellationReason.builder()
                        .code(draws.of(CODES))
                        .message(draws.oneOf(3) ? null : draws.text())
                        .item(draws.oneOf(3) ? null : item())
                        .build())
                .toList();
    }

    private Map<String, AttributeValue> item() {
        List<String> keys = request.keys();
        String key = keys.isEmpty() || draws.oneOf(4) ? draws.of("a", "b", "c", "d") : draws.of(keys);
        return draws.oneOf(6) ? Map.of() : ForeignItems.draw(key, draws);
    }

    private List<Map<String, AttributeValue>> items() {
        return IntStream.range(0, draws.below(4)).mapToObj(i -> item()).toList();
    }

    private @Nullable ConsumedCapacity capacity() {
        return draws.oneOf(2)
                ? null
                : ConsumedCapacity.builder()
                        .capacityUnits(draws.of(0.0, 1.0, 0.5, Double.NaN, null))
                        .build();
    }

    private BatchStatementResponse part() {
        BatchStatementResponse.Builder part = BatchStatementResponse.builder().item(draws.oneOf(2) ? null : item());
        if (draws.oneOf(2)) {
            part.error(BatchStatementError.builder()
                    .code(draws.of(CODES))
                    .message(draws.oneOf(3) ? null : draws.text())
                    .item(draws.oneOf(3) ? null : item())
                    .build());
        }
        return part.build();
    }

    // ---- requests

    @Override
    public CompletableFuture<UpdateItemResponse> updateItem(UpdateItemRequest ignored) {
        return answer(() -> (UpdateItemResponse) UpdateItemResponse.builder()
                .attributes(item())
                .consumedCapacity(capacity())
                .sdkHttpResponse(http)
                .build());
    }

    @Override
    public CompletableFuture<TransactWriteItemsResponse> transactWriteItems(TransactWriteItemsRequest ignored) {
        return answer(() -> (TransactWriteItemsResponse) TransactWriteItemsResponse.builder()
                .consumedCapacity(
                        draws.oneOf(2)
                                ? List.of()
                                : List.of(ConsumedCapacity.builder().build()))
                .sdkHttpResponse(http)
                .build());
    }

    @Override
    public CompletableFuture<BatchExecuteStatementResponse> batchExecuteStatement(
            BatchExecuteStatementRequest ignored) {
        return answer(() -> {
            int count = request.keys().size() + draws.of(0, 0, 0, 0, -1, 1);
            IntStream.range(0, count).forEach(i -> parts.add(part()));
            return (BatchExecuteStatementResponse) BatchExecuteStatementResponse.builder()
                    .responses(parts)
                    .sdkHttpResponse(http)
                    .build();
        });
    }

    @Override
    public CompletableFuture<GetItemResponse> getItem(GetItemRequest ignored) {
        return answer(() -> (GetItemResponse) GetItemResponse.builder()
                .item(item())
                .consumedCapacity(capacity())
                .sdkHttpResponse(http)
                .build());
    }

    @Override
    public CompletableFuture<BatchGetItemResponse> batchGetItem(BatchGetItemRequest ignored) {
        return answer(() -> (BatchGetItemResponse) BatchGetItemResponse.builder()
                .responses(draws.oneOf(4) ? Map.of() : Map.of(draws.of("leases", "arn:leases"), items()))
                .unprocessedKeys(
                        draws.oneOf(2)
                                ? Map.of()
                                : Map.of(
                                        draws.of("leases", "arn:leases"),
                                        KeysAndAttributes.builder()
                                                .keys(items())
                                                .build()))
                .sdkHttpResponse(http)
                .build());
    }

    @Override
    public CompletableFuture<ScanResponse> scan(ScanRequest ignored) {
        return answer(() -> (ScanResponse) ScanResponse.builder()
                .items(items())
                .lastEvaluatedKey(draws.oneOf(2) ? null : item())
                .sdkHttpResponse(http)
                .build());
    }

    @Override
    public DynamoDbServiceClientConfiguration serviceClientConfiguration() {
        return CONFIGURATION;
    }

    @Override
    public String serviceName() {
        return "dynamodb";
    }

    @Override
    public void close() {}

    private static final DynamoDbServiceClientConfiguration CONFIGURATION = configuration();

    private static DynamoDbServiceClientConfiguration configuration() {
        try (DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                .region(software.amazon.awssdk.regions.Region.EU_CENTRAL_1)
                .overrideConfiguration(
                        c -> c.retryStrategy(software.amazon.awssdk.awscore.retry.AwsRetryStrategy.doNotRetry()))
                .build()) {
            return client.serviceClientConfiguration();
        }
    }
}
