package io.leasekit.dynamodb;

import io.leasekit.store.StoreReply.FailureKind;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/**
 * What a failed request says about its write.
 *
 * <pre>
 * NOT_APPLIED  throttled, in conflict with a transaction, signed by a wrong clock, never sent (no connection)
 * UNKNOWN      5xx, timeout, broken connection, another copy in progress, a reply that is not DynamoDB's, anything not recognised
 * REJECTED     any other 4xx of DynamoDB's: access denied, no such table, invalid request, unknown credentials
 * </pre>
 *
 * What cannot be told counts as UNKNOWN: that costs a request more, never a lease.
 */
final class Failures {

    private static final Set<String> CONFLICTS =
            Set.of("TransactionConflictException", "ReplicatedWriteConflictException");

    /** Another copy of the same transaction is being applied just now; the SDK counts that as throttling. */
    private static final String COPY_IN_PROGRESS = "TransactionInProgressException";

    /** The SDK corrects its clock by the reply, so that the next attempt is signed with DynamoDB's time. */
    private static final Set<String> CLOCKS =
            Set.of("RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture", "RequestTimeTooSkewedException");

    private static final Set<String> SIGNATURES =
            Set.of("InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure");

    private Failures() {}

    /** {@code resent}: whether copies other than the one that failed may have been sent; those may have been applied. */
    static FailureKind kind(Throwable error, boolean resent) {
        FailureKind kind = kindOfAnswered(error);
        return kind == FailureKind.NOT_APPLIED && resent ? FailureKind.UNKNOWN : kind;
    }

    private static FailureKind kindOfAnswered(Throwable error) {
        if (error instanceof AwsServiceException reply) {
            return kindOfReply(reply);
        }
        return isNeverSent(error) ? FailureKind.NOT_APPLIED : FailureKind.UNKNOWN;
    }

    private static FailureKind kindOfReply(AwsServiceException reply) {
        if (!Replies.isFromDynamoDb(Replies.reply(reply))) {
            return FailureKind.UNKNOWN;
        }
        String code = code(reply);
        if (code.equals(COPY_IN_PROGRESS)) {
            return FailureKind.UNKNOWN;
        }
        if (reply.isThrottlingException() || CONFLICTS.contains(code) || isSignedByWrongClock(code, reply)) {
            return FailureKind.NOT_APPLIED;
        }
        boolean clientError = reply.statusCode() >= 400 && reply.statusCode() < 500;
        return clientError ? FailureKind.REJECTED : FailureKind.UNKNOWN;
    }

    private static String code(AwsServiceException reply) {
        AwsErrorDetails details = reply.awsErrorDetails();
        String code = details == null ? null : details.errorCode();
        return code == null ? "" : code;
    }

    /** A wrong secret has the same code as a wrong clock; only the text says which. */
    private static boolean isSignedByWrongClock(String code, AwsServiceException reply) {
        boolean sameForBoth = SIGNATURES.contains(code);
        boolean wrongSecret = String.valueOf(reply.getMessage()).contains("does not match");
        return CLOCKS.contains(code) || (sameForBoth && !wrongSecret);
    }

    /** Never {@code SocketException}: that of a connection which broke later is one, too. */
    private static boolean isNeverSent(Throwable error) {
        return find(error, ConnectException.class) != null
                || find(error, UnknownHostException.class) != null
                || find(error, SSLHandshakeException.class) != null;
    }

    /** Returns whether the SDK gave up because this thread was interrupted; it has cleared the interrupt then. */
    static boolean isInterrupt(CompletableFuture<?> sent) {
        return sent.isCompletedExceptionally()
                && find(sent.handle((reply, error) -> error).join(), InterruptedException.class) != null;
    }

    /** Returns the first of this type among the error and its causes. */
    static <T extends Throwable> @Nullable T find(Throwable error, Class<T> type) {
        for (@Nullable Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }

    /** Returns what a stage failed with, without the wrappers that stages add. */
    static Throwable unwrap(Throwable error) {
        Throwable cause = error.getCause();
        boolean wrapper = error instanceof CompletionException || error instanceof ExecutionException;
        return wrapper && cause != null ? unwrap(cause) : error;
    }

    /** Returns what a stage failed with, for the next stage to fail with. */
    static CompletionException rethrown(Throwable error) {
        return new CompletionException(unwrap(error));
    }
}
