package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;

/**
 * Changes the records of a lease that nobody holds (step 5.13 in {@code docs/protocol.md}). The command is applied if the
 * item has no version and exactly this token, and the guards of {@link #edits} hold. The command changes only records.
 *
 * @param key the key of the item
 * @param token the token that the item must have
 * @param edits the records
 */
@Internal
public record ReopenCommand(String key, long token, Edits edits) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("ReopenCommand", "key, token, edits", key, token, edits);
    }
}
