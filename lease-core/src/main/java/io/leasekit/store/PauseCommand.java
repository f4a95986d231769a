package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Changes the stored pauses (step 5.11 in {@code docs/protocol.md}). Pauses are records of an item that is not a lease.
 * A store applies the command if all conditions on records (the guards of {@link #edits}) hold. The command changes
 * only the item's records.
 */
@Internal
public record PauseCommand(String key, Edits edits) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("PauseCommand", "key, edits", key, edits);
    }
}
