package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Marks an item to tell the lease's holder that another process waits (protocol 6.3). A store applies the command if
 * the item has a version and no waiter has marked the item yet. The command adds the mark and changes nothing else in
 * the item.
 */
@Internal
public record MarkCommand(String key, long waitingSinceMillis) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("MarkCommand", "key, waitingSinceMillis", key, waitingSinceMillis);
    }
}
