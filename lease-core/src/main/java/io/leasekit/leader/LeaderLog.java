package io.leasekit.leader;

import io.leasekit.internal.Internal;
import io.leasekit.internal.LineLimit;
import io.leasekit.internal.Quietly;
import java.util.function.BooleanSupplier;

/**
 * The log lines about single leaders, which are limited during an outage of the table. Thread-safe.
 *
 * @param isOut whether an outage was logged that has not ended
 * @param lines limits the lines during an outage
 */
@Internal
public record LeaderLog(BooleanSupplier isOut, LineLimit lines) {

    /** Logs a line that is not a failure. */
    void line(Runnable line) {
        if (isOut.getAsBoolean()) {
            lines.log(line);
        } else {
            Quietly.run(line);
        }
    }
}
