package io.leasekit.dynamodb;

import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The names of an item's attributes, and the types of their values. {@link DynamoDbLeaseStore} describes the roles of
 * the attributes.
 */
final class Attributes {

    static final String KEY = "key";
    static final String VERSION = "lease_version";
    static final String EXPIRY = "lease_expiry";
    static final String ENDS = "lease_ends";
    static final String ENDS_TOKEN = "lease_ends_token";
    static final String DURATION = "lease_duration";
    static final String TOKEN = "fencing_token";
    static final String OWNER = "owner";
    static final String APPLICATION = "app";
    static final String APPLICATION_TOKEN = "app_token";
    static final String RUN = "run";
    static final String RUN_TOKEN = "run_token";
    static final String ACQUIRED_AT = "acquired_at";
    static final String RELEASED_AT = "released_at";
    static final String WAITING_SINCE = "waiting_since";
    static final String PERMITS = "permits";
    static final String LAST_RUN = "last_run";
    static final String LAST_RUN_OWNER = "last_run_owner";
    static final String LAST_RUN_AT = "last_run_at";
    static final String LAST_RUN_OUTCOME = "last_run_outcome";
    static final String LAST_RUN_DURATION = "last_run_duration";
    static final String PROGRESS = "progress";
    static final String PROGRESS_RUN = "progress_run";
    static final String PROGRESS_AT = "progress_at";
    static final String HISTORY = "run_history";
    static final String PAUSES = "lease_pauses";

    private Attributes() {}

    static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }
}
