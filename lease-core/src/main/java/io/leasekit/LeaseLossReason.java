package io.leasekit;

/** The reason why a lease ended without a release. */
public enum LeaseLossReason {
    /** No renewal succeeded in time. */
    EXPIRED,
    /** Another owner has acquired the lease since; it may have released it again. */
    TAKEN,
    /** The lease was released by force, or its item is gone from the table. */
    REVOKED,
    /** The lease was held for the longest time that its request allows ({@link LeaseRequest#holdAtMost()}). */
    HOLD_LIMIT,
    /** The manager was closed while the lease was still held. */
    CLOSED
}
