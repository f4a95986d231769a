package io.leasekit.dynamodb;

import io.leasekit.text.Text;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/**
 * Recognizes and explains failures of AWS credentials. DynamoDB refuses a request with wrong credentials before it
 * executes the request. A retry often succeeds: expired credentials are replaced, and a new key reaches all servers of
 * DynamoDB after some seconds.
 */
final class Credentials {

    private static final Set<String> EXPIRED =
            Set.of("ExpiredTokenException", "ExpiredToken", "TokenRefreshRequired", "TokenRefreshRequiredException");

    private static final Set<String> UNKNOWN = Set.of(
            "UnrecognizedClientException",
            "UnrecognizedClient",
            "InvalidClientTokenId",
            "InvalidAccessKeyId",
            "InvalidToken",
            "NotSignedUp");

    /**
     * The error codes after which the SDK adjusts its clock, so that it signs the next attempt with DynamoDB's time.
     */
    private static final Set<String> CLOCK = Set.of(
            "RequestExpired",
            "RequestExpiredException",
            "RequestTimeTooSkewed",
            "RequestTimeTooSkewedException",
            "RequestInTheFuture");

    /** The error codes for a wrong secret or a wrong time; only the error's message shows which of them is wrong. */
    private static final Set<String> SIGNATURE =
            Set.of("InvalidSignatureException", "InvalidSignature", "SignatureDoesNotMatch", "AuthFailure");

    private static final Set<String> UNSIGNED = Set.of(
            "MissingAuthenticationToken",
            "MissingAuthenticationTokenException",
            "IncompleteSignature",
            "IncompleteSignatureException");

    private static final Pattern NOT_LOADED =
            Pattern.compile("(load|resolve|refresh|retrieve|obtain|fetch|get|contains? no)"
                    + "[^.]*credential|credential[^.]*(not|no|cannot|failed|expired|unavailable|null|empty)|sso session|token is expired"
                    + "|web identity|instance metadata|imds");

    private Credentials() {}

    static boolean isRefused(String code) {
        return EXPIRED.contains(code)
                || UNKNOWN.contains(code)
                || CLOCK.contains(code)
                || SIGNATURE.contains(code)
                || UNSIGNED.contains(code);
    }

    /** Returns whether DynamoDB refuses the credentials; {@code false} if only this machine's clock is wrong. */
    static boolean areWrong(@Nullable Throwable error) {
        return FailureTexts.original(error) instanceof AwsServiceException reply
                && SdkReplies.isFromDynamoDb(SdkReplies.reply(reply))
                && isRefused(Failures.code(reply))
                && !isOfClock(reply);
    }

    private static boolean isOfClock(AwsServiceException reply) {
        String code = Failures.code(reply);
        boolean wrongSecret = String.valueOf(reply.getMessage()).contains("does not match");
        return CLOCK.contains(code) || (SIGNATURE.contains(code) && !wrongSecret);
    }

    /** Returns whether the reply comes from the source of the credentials, for example STS, instead of DynamoDB. */
    static boolean isOfTheirSource(AwsServiceException reply) {
        String service =
                reply.awsErrorDetails() == null ? null : reply.awsErrorDetails().serviceName();
        return !(reply instanceof DynamoDbException)
                && service != null
                && !service.toLowerCase(Locale.ROOT).startsWith("dynamo");
    }

    /**
     * Returns the problem of the credentials and the fix; {@code null} if the credentials are not the reason for the
     * failure.
     */
    static @Nullable String problem(Throwable error) {
        if (error instanceof AwsServiceException reply) {
            return isOfTheirSource(reply)
                    ? "No AWS credentials: their source has failed, " + FailureTexts.code(reply)
                    : refused(reply);
        }
        if (!isNotLoaded(error)) {
            return null;
        }
        String seen = String.valueOf(error.getMessage());
        return "No AWS credentials could be loaded, expected "
                + (lacksSts(seen)
                        ? "the module 'software.amazon.awssdk:sts' on the class path, which exchanges the web identity token"
                                + " of EKS: add this dependency"
                        : "credentials from a source of the AWS default chain (environment, profile, web identity, container"
                                + " or instance role) or from the client")
                + ". The AWS SDK says: " + Text.line(seen);
    }

    private static boolean lacksSts(String message) {
        return message.contains("'sts' service module");
    }

    private static @Nullable String refused(AwsServiceException reply) {
        String code = Failures.code(reply);
        if (EXPIRED.contains(code)) {
            return "The AWS credentials have expired (" + code
                    + "), expected a source that renews them: renew the session"
                    + " token, or use a role instead of a fixed token";
        }
        if (UNKNOWN.contains(code)) {
            return "DynamoDB does not know the AWS credentials (" + code
                    + "), expected an active access key with its session"
                    + " token: the key may be deleted, just rotated, or of another AWS partition or endpoint";
        }
        if (isOfClock(reply)) {
            return "The time of the signature is wrong (" + code
                    + "), expected this machine's clock to be within 5 min of" + " DynamoDB's: check NTP";
        }
        if (SIGNATURE.contains(code)) {
            return "The signature is wrong (" + code + "), expected the secret key that belongs to the access key";
        }
        return UNSIGNED.contains(code)
                ? "The request has no complete signature (" + code
                        + "), expected AWS credentials that are not anonymous"
                : null;
    }

    /**
     * Credential providers have no exception type of their own, so this method inspects the message. The result only
     * decides how the failure is explained.
     */
    private static boolean isNotLoaded(Throwable error) {
        String text = String.valueOf(error.getMessage());
        boolean ofSdk = error instanceof SdkClientException
                && NOT_LOADED.matcher(text.toLowerCase(Locale.ROOT)).find();
        return ofSdk || lacksSts(text);
    }
}
