package io.leasekit.dynamodb;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * DynamoDB's time, from the {@code Date} of its replies (protocol 4.2). Only DynamoDB sends {@code x-amzn-RequestId}: a reply
 * without it was made by something on the way, and says nothing of the time nor of the write.
 */
final class ReplyDates {

    private ReplyDates() {}

    static boolean isFromDynamoDb(@Nullable SdkHttpResponse reply) {
        return reply != null && reply.firstMatchingHeader("x-amzn-RequestId").isPresent();
    }

    static @Nullable Instant of(@Nullable SdkHttpResponse reply) {
        if (reply == null || !isFromDynamoDb(reply)) {
            return null;
        }
        return reply.firstMatchingHeader("Date").map(ReplyDates::parse).orElse(null);
    }

    static @Nullable Instant of(Throwable error) {
        return error instanceof AwsServiceException refusal ? of(reply(refusal)) : null;
    }

    static @Nullable SdkHttpResponse reply(AwsServiceException error) {
        AwsErrorDetails details = error.awsErrorDetails();
        return details == null ? null : details.sdkHttpResponse();
    }

    private static @Nullable Instant parse(String date) {
        try {
            return DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
