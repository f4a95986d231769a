package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Changes the records of a lease that nobody holds, so that a completed run may be executed again (step 5.13 in
 * {@code docs/protocol.md}). A store applies the command if the item has no version, the item's token equals
 * {@link #token}, and the conditions on records in {@link #edits} hold. The command changes only the item's records.
 */
@Internal
public record ReopenCommand(String key, long token, Edits edits) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("ReopenCommand", "key, token, edits", key, token, edits);
    }
}
