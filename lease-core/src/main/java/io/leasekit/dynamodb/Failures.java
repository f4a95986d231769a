package io.leasekit.dynamodb;

import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.text.Text;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/**
 * Determines from the error of a request whether its write was applied.
 *
 * <pre>
 * NOT_APPLIED  never sent (no connection), or refused before execution: credentials that have expired or are unknown,
 *              or a signature with a wrong secret or time
 * CONFLICT     the write was in conflict with a transaction or with a write in another region
 * THROTTLED    DynamoDB throttled the request
 * UNKNOWN 5xx, timeout, broken connection, another copy in progress, a reply that is not from DynamoDB, anything else
 * REJECTED     any other 4xx from DynamoDB: access denied, no such table, invalid request
 * </pre>
 *
 * A failure is UNKNOWN unless it surely belongs to another kind. The kind UNKNOWN can cause an additional request, but
 * never the loss of a lease.
 */
final class Failures {

    private static final Set<String> CONFLICTS =
            Set.of("TransactionConflictException", "ReplicatedWriteConflictException");

    /**
     * The error code while DynamoDB still applies another copy of the same transaction; the SDK classifies this code as
     * throttling.
     */
    private static final String COPY_IN_PROGRESS = "TransactionInProgressException";

    private static final String CONDITION_FAILED = "ConditionalCheckFailed";
    private static final String CONFLICT = "TransactionConflict";

    private Failures() {}

    static boolean isConditionFailed(@Nullable String code) {
        return CONDITION_FAILED.equals(code);
    }

    static boolean isConflict(@Nullable String code) {
        return CONFLICT.equals(code);
    }

    static StoreReply.Failed failed(Throwable error, boolean resent) {
        return new StoreReply.Failed(
                kind(error, resent), FailureTexts.explained(error), SdkReplies.date(error), resent);
    }

    /** @param resent whether the client might have sent other copies of the request, which might have been applied */
    static FailureKind kind(Throwable error, boolean resent) {
        FailureKind kind = kindOfAnswered(error);
        return resent && kind != FailureKind.REJECTED ? FailureKind.UNKNOWN : kind;
    }

    private static FailureKind kindOfAnswered(Throwable error) {
        if (error instanceof AwsServiceException reply) {
            return kindOfReply(reply);
        }
        return isNeverSent(error) ? FailureKind.NOT_APPLIED : FailureKind.UNKNOWN;
    }

    private static FailureKind kindOfReply(AwsServiceException reply) {
        if (Credentials.isOfTheirSource(reply)) {
            return FailureKind.NOT_APPLIED; // without credentials, the request could not be signed
        }
        if (!SdkReplies.isFromDynamoDb(SdkReplies.reply(reply))) {
            return FailureKind.UNKNOWN;
        }
        String code = code(reply);
        if (code.equals(COPY_IN_PROGRESS)) {
            return FailureKind.UNKNOWN;
        }
        if (reply.isThrottlingException()) {
            return FailureKind.THROTTLED;
        }
        if (CONFLICTS.contains(code)) {
            return FailureKind.CONFLICT;
        }
        if (Credentials.isRefused(code)) {
            return FailureKind.NOT_APPLIED;
        }
        boolean clientError = reply.statusCode() >= 400 && reply.statusCode() < 500;
        return clientError ? FailureKind.REJECTED : FailureKind.UNKNOWN;
    }

    static String code(AwsServiceException reply) {
        AwsErrorDetails details = reply.awsErrorDetails();
        String code = details == null ? null : details.errorCode();
        return code == null ? "" : code;
    }

    /**
     * A {@code SocketException} does not prove that the request was not sent, because it also occurs if the connection
     * breaks later.
     */
    private static boolean isNeverSent(Throwable error) {
        return find(error, ConnectException.class) != null
                || find(error, UnknownHostException.class) != null
                || find(error, SSLHandshakeException.class) != null;
    }

    /** Returns whether the SDK gave up because this thread was interrupted; the SDK then clears the interrupt flag. */
    static boolean isInterrupt(CompletableFuture<?> sent) {
        return sent.isCompletedExceptionally()
                && find(sent.handle((reply, error) -> error).join(), InterruptedException.class) != null;
    }

    static <T extends Throwable> @Nullable T find(Throwable error, Class<T> type) {
        return Text.causes(error)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElse(null);
    }

    static Throwable unwrap(Throwable error) {
        Throwable cause = error.getCause();
        boolean wrapper = error instanceof CompletionException || error instanceof ExecutionException;
        return wrapper && cause != null ? unwrap(cause) : error;
    }

    static CompletionException rethrown(Throwable error) {
        return new CompletionException(unwrap(error));
    }

    /** A denied KMS key does not mean that a DynamoDB permission is missing. */
    static boolean isKeyDenied(@Nullable Throwable error) {
        return error != null && isAccessDenied(error) && isOfKey(error.getMessage());
    }

    static boolean isOfKey(@Nullable String message) {
        String text = String.valueOf(message).toLowerCase(Locale.ROOT);
        return text.contains("kms key") || text.contains("kms:");
    }

    static boolean isAccessDenied(@Nullable Throwable error) {
        return FailureTexts.original(error) instanceof AwsServiceException reply
                && code(reply).equals("AccessDeniedException");
    }
}
