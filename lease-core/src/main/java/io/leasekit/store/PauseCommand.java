package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the text that has all pauses of the table (step 5.11 in {@code docs/protocol.md}). The command is applied if
 * the item has exactly the expected text or, without an expected text, no text. The command changes only this text.
 *
 * @param key the key of the item, which is not a lease key
 * @param expected the text that the item must have; {@code null}: the item must have none
 * @param pauses the new text
 */
@Internal
public record PauseCommand(String key, @Nullable String expected, String pauses) implements LeaseCommand {
    @Override
    public String toString() {
        return Text.record("PauseCommand", "key, expected, pauses", key, expected, pauses);
    }
}
