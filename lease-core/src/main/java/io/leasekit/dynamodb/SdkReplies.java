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
 * Reads the origin, DynamoDB's time (protocol 4.2) and the consumed capacity from a reply. Only DynamoDB sends the
 * header {@code x-amzn-RequestId}; a reply without this header comes from an intermediary, such as a proxy. An
 * intermediary's reply leaves the outcome of a write unknown, even if it reports success.
 */
final class SdkReplies {

    /** The write units that DynamoDB charges but does not report for a refused write of an item of at most 1 KB. */
    static final double REFUSED_UNITS = 1;

    /** The write units that DynamoDB charges but does not report for each item of a refused transaction. */
    static final double REFUSED_UNITS_IN_TRANSACTION = 2;

    private SdkReplies() {}

    static LeaseStoreException notFromDynamoDb() {
        return new LeaseStoreException(
                "Reply is not from DynamoDB: it has no 'x-amzn-RequestId'; a proxy or another intermediary has answered",
                null);
    }

    static boolean isFromDynamoDb(@Nullable SdkHttpResponse reply) {
        return reply != null && reply.firstMatchingHeader("x-amzn-RequestId").isPresent();
    }

    static @Nullable Instant date(@Nullable SdkHttpResponse reply) {
        if (reply == null || !isFromDynamoDb(reply)) {
            return null;
        }
        return reply.firstMatchingHeader("Date").map(SdkReplies::parse).orElse(null);
    }

    static @Nullable Instant date(Throwable error) {
        return error instanceof AwsServiceException refusal ? date(reply(refusal)) : null;
    }

    static @Nullable SdkHttpResponse reply(AwsServiceException error) {
        AwsErrorDetails details = error.awsErrorDetails();
        return details == null ? null : details.sdkHttpResponse();
    }

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
