package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Marks an item to tell its holder that another process waits. After a few more hand-overs within its own process, the
 * holder releases the lease (protocol 6.3). The command is applied if the item has a version and no mark. The command
 * changes only the mark.
 *
 * @param key the lease's key
 * @param waitingSinceMillis the time of the mark, in epoch milliseconds
 */
@Internal
public record MarkCommand(String key, long waitingSinceMillis) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("MarkCommand", "key, waitingSinceMillis", key, waitingSinceMillis);
    }
}
