package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;

/**
 * Whose a reply is, and its time (protocol 4.2). Only DynamoDB sends {@code x-amzn-RequestId}: a reply without it was made by
 * something on the way, and says nothing of the time nor of what became of a write, even if it looks like a success.
 */
final class Replies {

    private Replies() {}

    static LeaseStoreException notFromDynamoDb() {
        return new LeaseStoreException(
                "Reply is not DynamoDB's: it has no 'x-amzn-RequestId'; something on the way to DynamoDB answered",
                null);
    }

    static boolean isFromDynamoDb(@Nullable SdkHttpResponse reply) {
        return reply != null && reply.firstMatchingHeader("x-amzn-RequestId").isPresent();
    }

    static @Nullable Instant date(@Nullable SdkHttpResponse reply) {
        if (reply == null || !isFromDynamoDb(reply)) {
            return null;
        }
        return reply.firstMatchingHeader("Date").map(Replies::parse).orElse(null);
    }

    static @Nullable Instant date(Throwable error) {
        return error instanceof AwsServiceException refusal ? date(reply(refusal)) : null;
    }

    static @Nullable SdkHttpResponse reply(AwsServiceException error) {
        AwsErrorDetails details = error.awsErrorDetails();
        return details == null ? null : details.sdkHttpResponse();
    }

    /** The units that a request consumed; {@code null} where it did not ask for them. */
    static @Nullable Double units(@Nullable ConsumedCapacity consumed) {
        return consumed == null ? null : consumed.capacityUnits();
    }

    static @Nullable Double units(List<ConsumedCapacity> consumed) {
        return consumed.isEmpty()
                ? null
                : consumed.stream()
                        .mapToDouble(each -> Objects.requireNonNullElse(each.capacityUnits(), 0.0))
                        .sum();
    }

    private static @Nullable Instant parse(String date) {
        try {
            return DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
