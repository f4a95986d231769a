package io.leasekit.engine;

import io.leasekit.internal.Quietly;
import io.leasekit.store.ItemRun;
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
 * Warns of keys that other applications use, too: two applications on one table would otherwise take each other's jobs and
 * leaders without a word. Each key is warned of once, up to 20 keys, and it decides nothing. Owners that tell no application, such as
 * those of an earlier version, are never warned of. Thread-safe.
 */
final class SharedKeys {

    private static final Logger log = LoggerFactory.getLogger(SharedKeys.class);
    private static final int MOST = 20; // keys may be as many as orders

    private final @Nullable String application; // null: nothing is warned of
    private final String table;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();

    SharedKeys(LeaseSettings settings, String table) {
        this.application = settings.keySharing ? null : settings.application;
        this.table = table;
    }

    /**
     * Returns the application of the owner that the item shows; {@code null}: not known. Clients of another kind, such as
     * the Rust crate, leave the attributes of the holder before them as they are, but not its version.
     */
    static @Nullable String application(LeaseItem item) {
        return isOfAnotherKind(item) ? null : item.application();
    }

    /** Returns whether a client of another kind holds the lease. */
    static boolean isOfAnotherKind(LeaseItem item) {
        return item.version() != null && Tenure.tenureOf(item.version()) == null;
    }

    /** Takes in the item that keeps an acquire of this process from the key. */
    void held(String key, LeaseItem item) {
        if (isOfAnother(item)) {
            warn(key, item, "Lease " + Text.quote(key) + " is held by");
        }
    }

    /** Takes in the item whose run keeps an acquire of this process from the key. It is its owner's if both are the same. */
    void ran(String key, LeaseItem item) {
        ItemRun run = item.lastRun();
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
