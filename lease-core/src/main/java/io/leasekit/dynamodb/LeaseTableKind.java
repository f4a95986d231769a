package io.leasekit.dynamodb;

/** A kind of table that can hold leases. A global table with eventually consistent replicas cannot hold leases. */
public enum LeaseTableKind {

    /** A table in one region, with item TTL and transactions. */
    REGIONAL(true),

    /**
     * A global table with multi-Region strong consistency. This kind of table has no item TTL, so items of released
     * leases remain in the table. This kind of table has no transactions, so leases of several keys, runs in any order
     * and condition checks are refused.
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
