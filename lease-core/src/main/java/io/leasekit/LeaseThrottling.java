package io.leasekit;

import java.util.Locale;

/** The limit that a throttled request exceeded, as DynamoDB names it in the {@code ThrottlingReasons} of its reply. */
public enum LeaseThrottling {
    /**
     * The throughput limit of one partition of the table. Too many requests were sent for the same key, or for keys
     * that DynamoDB stores in the same partition.
     */
    KEY_RANGE("KeyRangeThroughputExceeded", "one partition of the table gets more requests than it serves"),
    /** The provisioned capacity of the table. */
    TABLE("ProvisionedThroughputExceeded", "the provisioned capacity of the table is used up"),
    /** The quota of the AWS account for tables in on-demand mode, or for requests that manage tables. */
    ACCOUNT("AccountLimitExceeded", "the quota of the AWS account is used up"),
    /** The maximum throughput that was set for the table in on-demand mode. */
    ON_DEMAND_MAXIMUM("MaxOnDemandThroughputExceeded", "the maximum on-demand throughput of the table is reached"),
    /** DynamoDB named no limit, or an unknown limit. */
    UNKNOWN("", "DynamoDB names no limit");

    private final String limit;
    private final String text;

    LeaseThrottling(String limit, String text) {
        this.limit = limit;
        this.text = text;
    }

    /**
     * Returns the limit that a reason from DynamoDB names; {@link #UNKNOWN} if the reason names no known limit.
     *
     * @param reason a throttling reason from DynamoDB, such as {@code TableWriteKeyRangeThroughputExceeded}, or a
     *     message that contains such a reason
     */
    public static LeaseThrottling of(String reason) {
        String lowerCase = reason.toLowerCase(Locale.ROOT);
        for (LeaseThrottling each : values()) {
            if (each != UNKNOWN && lowerCase.contains(each.limit.toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        return UNKNOWN;
    }

    /** Returns the limit in words, for logs and messages. */
    public String text() {
        return text;
    }
}
