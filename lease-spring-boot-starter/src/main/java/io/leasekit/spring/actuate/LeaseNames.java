package io.leasekit.spring.actuate;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits the number of lease names in meters to {@value LeaseMeters#MAX_NAMES}. Thread-safe. */
final class LeaseNames {

    private static final Logger log = LoggerFactory.getLogger(LeaseNames.class);
    private static final String NONE = "none";
    private static final String OTHER = "other";

    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();

    String bounded(@Nullable String name) {
        if (name == null) {
            return NONE;
        }
        if (names.contains(name)) {
            return name;
        }
        // concurrent threads may each exceed the limit by one name, which is acceptable
        if (names.size() < LeaseMeters.MAX_NAMES) {
            names.add(name);
            return name;
        }
        if (warned.compareAndSet(false, true)) {
            log.warn(
                    "Leases have more than {} different names; meters show further ones as '{}'. Use one name for each"
                            + " kind of lease, not one for each key",
                    LeaseMeters.MAX_NAMES,
                    OTHER);
        }
        return OTHER;
    }

    boolean isNew(String bounded) {
        return seen.add(bounded);
    }
}
