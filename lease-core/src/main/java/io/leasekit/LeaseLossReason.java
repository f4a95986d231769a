package io.leasekit;

/** Why a lease ended without a release. */
public enum LeaseLossReason {
    /** No renewal got through in time. */
    EXPIRED,
    /** The table shows another's lease. */
    TAKEN,
    /** It was released by force, or its item is gone from the table. */
    REVOKED,
    /** It was held for the longest time that its request allows ({@link LeaseRequest#holdAtMost()}). */
    HOLD_LIMIT,
    /** The manager was closed while the lease was still held. */
    CLOSED
}
