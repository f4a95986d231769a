package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Texts of errors that a hostile endpoint, or a proxy, has chosen: also those that a stack trace prints. */
class ForeignErrorsTest {

    private static final String HOSTILE =
            "broken\n2026-11-29 ERROR forged line\r\u001b[31m x-amz-security-token: IQoJb3JpZ2lu key AKIAIOSFODNN7EXAMPLE";

    private static AwsErrorDetails details(String code) {
        return AwsErrorDetails.builder()
                .errorCode(code)
                .errorMessage(HOSTILE)
                .serviceName("DynamoDb")
                .sdkHttpResponse(SdkHttpResponse.builder()
                        .statusCode(400)
                        .putHeader("x-amzn-RequestId", "1")
                        .build())
                .build();
    }

    static Stream<Throwable> errors() {
        Throwable suppressed = new IllegalStateException("plain");
        suppressed.addSuppressed(new IllegalStateException(HOSTILE));
        return Stream.of(
                DynamoDbException.builder()
                        .statusCode(400)
                        .awsErrorDetails(details("AccessDeniedException"))
                        .build(),
                DynamoDbException.builder()
                        .statusCode(400)
                        .awsErrorDetails(details("ExpiredTokenException"))
                        .build(),
                DynamoDbException.builder()
                        .statusCode(500)
                        .awsErrorDetails(details(HOSTILE))
                        .build(),
                ProvisionedThroughputExceededException.builder()
                        .statusCode(400)
                        .awsErrorDetails(details("ProvisionedThroughputExceededException"))
                        .throttlingReasons(ThrottlingReason.builder()
                                .reason(HOSTILE)
                                .resource(HOSTILE)
                                .build())
                        .build(),
                TransactionCanceledException.builder()
                        .statusCode(400)
                        .awsErrorDetails(details("TransactionCanceledException"))
                        .cancellationReasons(CancellationReason.builder()
                                .code("ThrottlingError")
                                .message(HOSTILE)
                                .build())
                        .build(),
                SdkClientException.create("Unable to load credentials from any of the providers: " + HOSTILE),
                SdkClientException.create("Unable to execute HTTP request", new java.io.IOException(HOSTILE)),
                new IllegalStateException("To use web identity tokens, the 'sts' service module: " + HOSTILE),
                suppressed);
    }

    @ParameterizedTest
    @MethodSource("errors")
    void neitherMessagesNorStackTracesHaveTheirTextsAsTheyAre(Throwable error) {
        StoreReply.Failed failed = Failures.failed(error, false);

        assertIsPrintable(printed(new LeaseStoreException("Lease 'key'", failed.cause())));
        assertIsPrintable(printed(failed.cause()));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void norHaveThoseOfRequestsForTheTable(Throwable error) {
        TableCalls calls = new TableCalls("leases");
        try {
            calls.await(CompletableFuture.failedFuture(error), "UpdateItem");
        } catch (LeaseException e) {
            assertIsPrintable(printed(e));
            return;
        }
        throw new AssertionError("expected an exception");
    }

    @Test
    void theTraceStaysThatOfTheError() {
        Throwable root = new java.io.IOException(HOSTILE);
        Throwable cause = Failures.failed(SdkClientException.create("Broken", root), false)
                .cause();

        assertThat(cause.getStackTrace()).isNotEmpty();
        assertThat(cause.getMessage()).contains("SdkClientException: Broken");
        assertThat(cause.getCause()).hasMessageStartingWith("IOException: broken\\u000a2026-11-29");
        assertThat(cause.getCause().getStackTrace()).isEqualTo(root.getStackTrace());
    }

    @Test
    void anErrorWithAPlainTextStaysTheCause() {
        Throwable plain = SdkClientException.create("Unable to execute HTTP request: Connection refused");

        assertThat(Failures.failed(plain, false).cause()).isSameAs(plain);
    }

    private static String printed(Throwable error) {
        StringWriter printed = new StringWriter();
        error.printStackTrace(new PrintWriter(printed));
        return printed.toString();
    }

    private static void assertIsPrintable(String text) {
        assertThat(text.lines())
                .allSatisfy(line -> assertThat(line).doesNotStartWith("2026").doesNotContain("\u001b"));
        assertThat(text).doesNotContain("\r", "IQoJb3JpZ2lu", "AKIAIOSFODNN7EXAMPLE");
    }
}
