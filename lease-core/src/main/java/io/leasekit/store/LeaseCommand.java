package io.leasekit.store;

import io.leasekit.internal.Internal;

/** One conditional write of one item by a {@link LeaseStore}. */
@Internal
public sealed interface LeaseCommand
        permits AcquireCommand, RenewCommand, ReleaseCommand, MarkCommand, RevokeCommand, PauseCommand, ReopenCommand {

    String key();
}
