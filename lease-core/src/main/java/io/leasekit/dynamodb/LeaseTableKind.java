package io.leasekit.dynamodb;

/** A kind of table that can hold leases. A global table with eventually consistent replicas cannot hold leases. */
public enum LeaseTableKind {

    /** A table in one region, with item TTL and transactions. */
    REGIONAL(true),

    /**
     * A global table with multi-Region strong consistency. DynamoDB has no item TTL for a global table of this kind, so
     * items of released leases remain in the table. DynamoDB also has no transactions on a global table of this kind,
     * so leases of several keys, runs in any order and condition checks are refused.
     */
    STRONGLY_CONSISTENT_GLOBAL(false);

    private final boolean complete;

    LeaseTableKind(boolean complete) {
        this.complete = complete;
    }

    /** Returns whether DynamoDB removes expired items. */
    public boolean hasItemTtl() {
        return complete;
    }

    /** Returns whether one transaction can write several items. */
    public boolean hasTransactions() {
        return complete;
    }
}
