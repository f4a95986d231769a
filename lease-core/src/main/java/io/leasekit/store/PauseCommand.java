package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Changes the stored pauses (step 5.11 in {@code docs/protocol.md}). Pauses are records of an item that is not a lease.
 * A store applies the command if all conditions on records (the guards of {@link #edits}) hold. The command changes
 * only the item's records.
 *
 * @param key the key of the item of the pauses, which is not a lease key
 * @param edits the conditions on records (guards) and the changes of records
 */
@Internal
public record PauseCommand(String key, Edits edits) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("PauseCommand", "key, edits", key, edits);
    }
}
