package io.leasekit.leader;

import io.leasekit.internal.AcquireObstacle.Seen;
import io.leasekit.internal.Quietly;
import io.leasekit.log.LineLimit;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs that a campaign has seen no leader for a long time, and later that the campaign sees a leader again. Not
 * thread-safe: only one timer at a time uses this object.
 */
final class Vacancy {

    private static final Logger log = LoggerFactory.getLogger(Vacancy.class);

    private final String key;
    private final EngineTime time;
    private final long patience;
    private final LineLimit lines;
    private long lastSeen;
    private boolean told;

    /** {@code patience}: the time without a leader, in nanoseconds, after which this class logs a line. */
    Vacancy(String key, EngineTime time, long patience, LineLimit lines) {
        this.key = key;
        this.time = time;
        this.patience = patience;
        this.lines = lines;
        this.lastSeen = time.nanos();
    }

    /** The time of an outage does not count as time without a leader, because the manager logs the outage. */
    void look(Seen seen) {
        long now = time.nanos();
        long since = now - lastSeen;
        if (seen.held()) {
            if (told) {
                Quietly.run(() -> log.info(
                        "A leader of {} is seen again after {}: {}", Text.quote(key), duration(since), seen.text()));
            }
            told = false;
            lastSeen = now;
        } else if (lines.isOut() && !told) {
            lastSeen = now;
        } else if (!told && since >= patience) {
            told = true;
            tell(seen, since);
        }
    }

    private void tell(Seen seen, long since) {
        Level level = seen.paused() ? Level.INFO : Level.WARN; // an operator paused the key on purpose
        Runnable line = () -> log.atLevel(level)
                .log("No leader of {} has been seen for {}: {}", Text.quote(key), duration(since), seen.text());
        if (seen.paused()) {
            lines.inform(line);
        } else {
            lines.warn(line);
        }
    }

    private static String duration(long nanos) {
        return Text.duration(Duration.ofNanos(nanos));
    }
}
