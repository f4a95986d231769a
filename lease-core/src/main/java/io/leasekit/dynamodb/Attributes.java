package io.leasekit.dynamodb;

import io.leasekit.store.Bytes;
import software.amazon.awssdk.core.SdkBytes;
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
    static final String ACQUIRED_AT = "acquired_at";
    static final String RELEASED_AT = "released_at";
    static final String WAITING_SINCE = "waiting_since";

    private Attributes() {}

    static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    static AttributeValue value(Object value) {
        if (value instanceof Long number) {
            return number(number);
        }
        return value instanceof Bytes bytes
                ? AttributeValue.fromB(SdkBytes.fromByteArray(bytes.toArray()))
                : text((String) value);
    }
}
