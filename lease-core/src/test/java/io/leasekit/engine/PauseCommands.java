package io.leasekit.engine;

import io.leasekit.records.RecordTable;
import io.leasekit.store.Edits;
import io.leasekit.store.PauseCommand;
import org.jspecify.annotations.Nullable;

/** Changes of the pauses, as other managers write them. */
final class PauseCommands {

    private PauseCommands() {}

    /** Replaces the expected text; {@code null}: none. */
    static PauseCommand replace(@Nullable String expected, String pauses) {
        return new PauseCommand(
                "#pauses",
                Edits.builder()
                        .equal(RecordTable.PAUSES, expected)
                        .set(RecordTable.PAUSES, pauses)
                        .build());
    }
}
