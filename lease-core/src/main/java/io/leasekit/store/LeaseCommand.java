package io.leasekit.store;

/** One conditional write of one item, as a {@link LeaseStore} carries it out. */
public sealed interface LeaseCommand permits AcquireCommand, RenewCommand, ReleaseCommand, MarkCommand, RevokeCommand {

    /** Returns the key of the item that it writes. */
    String key();
}
