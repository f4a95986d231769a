package io.leasekit.spring.actuate;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.text.Text;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the leases that one reply of the endpoint shows. After a failed read, sends no more reads through the manager,
 * because each read of an unreachable table takes seconds. Not thread-safe.
 */
final class LeaseReads {

    private final Map<String, String> failures = new HashMap<>();

    /** The lease if it exists, or the reason why the read failed. */
    record Read(@Nullable LeaseInfo lease, @Nullable String error) {

        static final Read NONE = new Read(null, null);
    }

    Read read(String manager, Supplier<Optional<LeaseInfo>> lease) {
        String failure = failures.get(manager);
        if (failure != null) {
            return new Read(null, failure);
        }
        try {
            return new Read(lease.get().orElse(null), null);
        } catch (LeaseException e) {
            // the message of the exception contains the key, which may be hidden
            String why = e.getCause() == null ? e.getClass().getSimpleName() : Text.why(e.getCause());
            failures.put(manager, why);
            return new Read(null, why);
        }
    }
}
