package io.leasekit.engine;

import io.leasekit.internal.Quietly;
import io.leasekit.kernel.LeaseSettings;
import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemRun;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a warning if another application uses a key of this application. Without the warning, two applications that
 * share a table by mistake could block each other's jobs unnoticed. Thread-safe.
 */
final class SharedKeys {

    private static final Logger log = LoggerFactory.getLogger(SharedKeys.class);
    private static final int MOST = 20;

    private final @Nullable String application;
    private final String table;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();

    SharedKeys(LeaseSettings settings, String table) {
        this.application = settings.keySharing ? null : settings.application;
        this.table = table;
    }

    /**
     * Returns {@code null} for another kind of client, because the item still shows the previous holder's application.
     */
    static @Nullable String application(LeaseItem item) {
        return isOfAnotherKind(item) ? null : AcquireText.APPLICATION.of(item);
    }

    /** Returns whether another kind of client, such as the Rust crate, holds the lease. */
    static boolean isOfAnotherKind(LeaseItem item) {
        return item.version() != null && Tenure.tenureOf(item.version()) == null;
    }

    void held(String key, LeaseItem item) {
        if (isOfAnother(item)) {
            warn(key, item, "Lease " + Text.quote(key) + " is held by");
        }
    }

    /** The application is known only if the item still shows the owner that has done the run. */
    void ran(String key, LeaseItem item) {
        ItemRun run = ItemRun.of(item.records());
        if (run != null && Objects.equals(run.owner(), item.owner()) && isOfAnother(item)) {
            warn(key, item, "Run " + Text.quote(run.name()) + " of lease " + Text.quote(key) + " was done by");
        }
    }

    private boolean isOfAnother(LeaseItem item) {
        String other = application == null ? null : application(item);
        return other != null && !other.equals(application);
    }

    private void warn(String key, LeaseItem item, String what) {
        int number = count.get() > MOST || !warned.add(key) ? MOST + 2 : count.incrementAndGet();
        if (number <= MOST) {
            Quietly.run(() -> log.warn(
                    "{} application {} (owner {}), but this is application {}: both use this key in table {}. To separate"
                            + " them, set a different 'lease.key-prefix' in each; if they share keys on purpose, set"
                            + " 'lease.key-sharing' to true",
                    what,
                    Text.quote(application(item)),
                    Text.quote(item.owner()),
                    Text.quote(application),
                    table));
        } else if (number == MOST + 1) {
            Quietly.run(() -> log.warn(
                    "More than {} keys of application {} are used by other applications in table {}, too; further ones are"
                            + " not logged",
                    MOST,
                    Text.quote(application),
                    table));
        }
    }
}
