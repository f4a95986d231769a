package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.text.Text;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Explains errors of credentials and throttling, because the SDK's messages do not state what to correct. */
final class FailureTexts {

    private static final String ACCOUNT = "RequestLimitExceeded";

    /** The error codes of throttling for one statement of a batch, or for one item of a transaction. */
    private static final Set<String> THROTTLED =
            Set.of("ThrottlingError", "ProvisionedThroughputExceeded", ACCOUNT, "ThrottlingException");

    private FailureTexts() {}

    static Throwable explained(Throwable error) {
        String credentials = Credentials.problem(error);
        if (credentials != null) {
            return new LeaseStoreException(credentials, printable(error));
        }
        if (error instanceof TransactionCanceledException cancelled) {
            return ofCancellation(cancelled);
        }
        return error instanceof AwsServiceException reply && isThrottled(reply)
                ? ofThrottling(reply)
                : printable(error);
    }

    /** Returns the error, or a copy with an escaped message if the original message could forge lines of a log. */
    static Throwable printable(Throwable error) {
        List<Throwable> all = Text.causes(error).toList();
        if (all.stream()
                .allMatch(one -> isPlain(one) && Stream.of(one.getSuppressed()).allMatch(FailureTexts::isPlain))) {
            return error;
        }
        Escaped cause = null;
        for (int i = all.size() - 1; i > 0; i--) {
            cause = new Escaped(all.get(i), cause);
        }
        return new Escaped(error, cause);
    }

    private static boolean isPlain(Throwable error) {
        String message = error.getMessage();
        return message == null || message.equals(Text.line(message));
    }

    /**
     * Decisions that depend on the type of an error need the original, because {@link #printable} may have replaced it.
     */
    static @Nullable Throwable original(@Nullable Throwable error) {
        return error instanceof Escaped escaped ? escaped.original : error;
    }

    private static final class Escaped extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Throwable original;

        private Escaped(Throwable original, @Nullable Throwable cause) {
            super(original.getClass().getSimpleName() + ": " + Text.why(original), cause);
            this.original = original;
            setStackTrace(original.getStackTrace());
        }
    }

    /** Unlike the SDK, this method does not count {@code TransactionInProgressException} as throttling. */
    private static boolean isThrottled(AwsServiceException reply) {
        return SdkReplies.isFromDynamoDb(SdkReplies.reply(reply))
                && Failures.kind(reply, false) == FailureKind.THROTTLED;
    }

    private static LeaseStoreException ofThrottling(AwsServiceException reply) {
        List<ThrottlingReason> reasons = reasons(reply);
        String named = reasons.stream()
                .map(reason -> reason.reason() + (reason.resource() == null ? "" : " of " + reason.resource()))
                .collect(Collectors.joining(", "));
        String seen = named.isEmpty() ? String.valueOf(reply.getMessage()) : named;
        LeaseThrottling throttling = throttling(Failures.code(reply), seen);
        return new LeaseStoreException(
                "Throttled, " + throttling.text() + ": " + code(reply, named), printable(reply), throttling);
    }

    private static List<ThrottlingReason> reasons(AwsServiceException reply) {
        if (reply instanceof ProvisionedThroughputExceededException table) {
            return table.throttlingReasons();
        }
        if (reply instanceof RequestLimitExceededException account) {
            return account.throttlingReasons();
        }
        return reply instanceof ThrottlingException any ? any.throttlingReasons() : List.of();
    }

    private static LeaseThrottling throttling(String code, String text) {
        LeaseThrottling named = LeaseThrottling.of(text);
        return named == LeaseThrottling.UNKNOWN && code.startsWith(ACCOUNT) ? LeaseThrottling.ACCOUNT : named;
    }

    static boolean isThrottled(@Nullable String code) {
        return code != null && THROTTLED.contains(code);
    }

    static LeaseStoreException ofStatement(String code, @Nullable String message) {
        return isThrottled(code)
                ? ofPart("Statement was throttled, ", code, message, null)
                : new LeaseStoreException("Statement failed: " + Text.line(code + ": " + message), null);
    }

    private static Throwable ofCancellation(TransactionCanceledException error) {
        for (CancellationReason reason : error.cancellationReasons()) {
            if (isThrottled(reason.code())) {
                return ofPart("Transaction was throttled, ", reason.code(), reason.message(), printable(error));
            }
        }
        return printable(error);
    }

    private static LeaseStoreException ofPart(
            String what, String code, @Nullable String message, @Nullable Throwable cause) {
        LeaseThrottling throttling = throttling(code, String.valueOf(message));
        String replied = Text.line(code + ": " + message);
        return new LeaseStoreException(what + throttling.text() + ": " + replied, cause, throttling);
    }

    static String code(AwsServiceException reply) {
        return code(reply, "");
    }

    private static String code(AwsServiceException reply, String details) {
        AwsErrorDetails known = reply.awsErrorDetails();
        String message = known == null || known.errorMessage() == null ? reply.getMessage() : known.errorMessage();
        String code = Failures.code(reply);
        String text = details.isEmpty() ? String.valueOf(message) : details;
        return Text.line(code.isEmpty() ? text : code + ": " + text);
    }
}
