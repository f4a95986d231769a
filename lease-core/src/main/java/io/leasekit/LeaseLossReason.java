package io.leasekit;

/** The reason why a lease ended without a release. */
public enum LeaseLossReason {
    /** No renewal succeeded in time. */
    EXPIRED,
    /** The table shows another owner's lease. */
    TAKEN,
    /** The lease was released by force, or its item is gone from the table. */
    REVOKED,
    /** The lease was held for the longest time that its request allows ({@link LeaseRequest#holdAtMost()}). */
    HOLD_LIMIT,
    /** The manager was closed while the lease was still held. */
    CLOSED
}
