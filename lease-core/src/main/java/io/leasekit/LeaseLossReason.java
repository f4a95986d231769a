package io.leasekit;

/** The reason why a lease ended without a release. */
public enum LeaseLossReason {
    /** No renewal succeeded in time. */
    EXPIRED,
    /** Another owner has acquired the lease, and may have released the lease since. */
    TAKEN,
    /** The lease was released by force, or its item was removed from the table. */
    REVOKED,
    /** The lease reached the {@link LeaseRequest#holdAtMost()} of its request. */
    HOLD_LIMIT,
    /** The manager was closed while the lease was still held. */
    CLOSED
}
