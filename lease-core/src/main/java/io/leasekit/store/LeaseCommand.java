package io.leasekit.store;

/** One conditional write of one item by a {@link LeaseStore}. */
public sealed interface LeaseCommand
        permits AcquireCommand, RenewCommand, ReleaseCommand, MarkCommand, RevokeCommand, PauseCommand {

    /** Returns the key of the item. */
    String key();
}
