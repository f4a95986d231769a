package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;

/** Replies of DynamoDB that DynamoDB Local cannot give. */
final class RecordedReplies {

    static final String DATE = "Fri, 20 Nov 2026 12:00:07 GMT";

    private static final String DYNAMODB = "com.amazonaws.dynamodb.v20120810#";
    private static final String CORAL = "com.amazon.coral.service#";

    private RecordedReplies() {}

    static ResponseDefinitionBuilder ok() {
        return reply(200, "{}");
    }

    static ResponseDefinitionBuilder refused(String item) {
        return reply(
                400,
                "{\"__type\":\"" + DYNAMODB + "ConditionalCheckFailedException\",\"message\":\"The conditional request"
                        + " failed\",\"Item\":" + item + "}");
    }

    static ResponseDefinitionBuilder throughputExceeded() {
        return error(
                400,
                DYNAMODB + "ProvisionedThroughputExceededException",
                "The level of configured provisioned throughput for the table was exceeded. Consider increasing your"
                        + " provisioning level with the UpdateTable API.");
    }

    static ResponseDefinitionBuilder throttled() {
        return error(
                400,
                DYNAMODB + "ThrottlingException",
                "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your"
                        + " table or index so please try again shortly.");
    }

    static ResponseDefinitionBuilder requestLimitExceeded() {
        return error(
                400,
                DYNAMODB + "RequestLimitExceeded",
                "Throughput exceeds the current throughput limit for your account. Please contact AWS Support.");
    }

    static ResponseDefinitionBuilder transactionConflict() {
        return error(400, DYNAMODB + "TransactionConflictException", "Transaction is ongoing for the item");
    }

    static ResponseDefinitionBuilder transactionCanceled(String reasons) {
        return reply(
                400,
                "{\"__type\":\"" + DYNAMODB
                        + "TransactionCanceledException\",\"Message\":\"Transaction cancelled, please"
                        + " refer cancellation reasons for specific reasons\",\"CancellationReasons\":" + reasons
                        + "}");
    }

    static ResponseDefinitionBuilder transactionInProgress() {
        return error(
                400,
                DYNAMODB + "TransactionInProgressException",
                "The transaction with the given request token is already in progress.");
    }

    static ResponseDefinitionBuilder replicatedWriteConflict() {
        return error(
                400,
                DYNAMODB + "ReplicatedWriteConflictException",
                "One or more items in this request are being modified by a request in another Region.");
    }

    static ResponseDefinitionBuilder signatureExpired() {
        return error(
                400,
                CORAL + "InvalidSignatureException",
                "Signature expired: 20261120T110000Z is now earlier than 20261120T115507Z (20261120T120007Z - 5 min.)");
    }

    static ResponseDefinitionBuilder requestTimeTooSkewed() {
        return error(
                403, CORAL + "RequestTimeTooSkewed", "The difference between the request time and now is too large.");
    }

    static ResponseDefinitionBuilder wrongSecret() {
        return error(
                400,
                CORAL + "InvalidSignatureException",
                "The request signature we calculated does not match the signature you provided. Check your AWS Secret"
                        + " Access Key and signing method. Consult the service documentation for details.");
    }

    static ResponseDefinitionBuilder accessDenied(String action) {
        return error(
                400,
                CORAL + "AccessDeniedException",
                "User: arn:aws:iam::123456789012:user/app is not authorized to perform: dynamodb:" + action
                        + " on resource: arn:aws:dynamodb:us-east-1:123456789012:table/leases");
    }

    static ResponseDefinitionBuilder accessDeniedBecause(String message) {
        return error(400, CORAL + "AccessDeniedException", message);
    }

    static ResponseDefinitionBuilder unknownCredentials() {
        return error(
                400, CORAL + "UnrecognizedClientException", "The security token included in the request is invalid.");
    }

    static ResponseDefinitionBuilder expiredCredentials() {
        return error(400, CORAL + "ExpiredTokenException", "The security token included in the request is expired");
    }

    /** Returns a refusal of the credentials or of the signature. */
    static ResponseDefinitionBuilder credentials(String code, String message) {
        return error(400, CORAL + code, message);
    }

    static ResponseDefinitionBuilder throttled(String code, String reason) {
        return reply(
                400,
                "{\"__type\":\"" + DYNAMODB + code
                        + "\",\"message\":\"Throughput exceeds a limit\",\""
                        + (code.equals("ThrottlingException") ? "throttlingReasons" : "ThrottlingReasons") + "\":"
                        + "[{\"reason\":\"" + reason + "\",\"resource\":"
                        + "\"arn:aws:dynamodb:us-east-1:123456789012:table/leases\"}]}");
    }

    static ResponseDefinitionBuilder noSuchTable() {
        return error(400, DYNAMODB + "ResourceNotFoundException", "Requested resource not found");
    }

    static ResponseDefinitionBuilder invalidRequest() {
        return error(
                400,
                "com.amazon.coral.validate#ValidationException",
                "The provided key element does not match the schema");
    }

    static ResponseDefinitionBuilder unknownOperation() {
        return error(400, CORAL + "UnknownOperationException", "");
    }

    /** Returns the reply of compatible servers. */
    static ResponseDefinitionBuilder notImplemented() {
        return error(501, "NotImplementedException", "BatchExecuteStatement is not implemented");
    }

    static ResponseDefinitionBuilder internalServerError() {
        return error(500, DYNAMODB + "InternalServerError", "Internal server error");
    }

    static ResponseDefinitionBuilder serviceUnavailable() {
        return error(503, "com.amazon.coral.availability#ServiceUnavailableException", "The service is unavailable.");
    }

    /** Returns an error whose text begins a line of its own in a log. */
    static ResponseDefinitionBuilder withForgedLine(String code) {
        return error(400, DYNAMODB + code, "broken\\n2026-11-29 ERROR forged line");
    }

    private static ResponseDefinitionBuilder error(int status, String type, String message) {
        return reply(status, "{\"__type\":\"" + type + "\",\"message\":\"" + message + "\"}");
    }

    static ResponseDefinitionBuilder reply(int status, String json) {
        return aResponse()
                .withStatus(status)
                .withHeader("Content-Type", "application/x-amz-json-1.0")
                .withHeader("x-amzn-RequestId", "6A700B70470B437EB7B3FA1B39C15CE8VV4KQNSO5AEMVJF66Q9ASUAAJG")
                .withHeader("Date", DATE)
                .withBody(json);
    }

    /** Returns a reply of a proxy in front of DynamoDB. */
    static ResponseDefinitionBuilder ofProxy(int status) {
        return aResponse()
                .withStatus(status)
                .withHeader("Content-Type", "text/html")
                .withHeader("Date", DATE)
                .withBody("<html><body>proxy</body></html>");
    }
}
