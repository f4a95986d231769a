package io.leasekit.spring.call;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/** Detects managers that return {@code null}, as a mock does by default. */
final class MockedManager {

    private MockedManager() {}

    static <T> T checked(@Nullable T result, LeaseManager manager, LeaseRequest request) {
        if (result == null) {
            throw new IllegalStateException(
                    "The LeaseManager bean returned null for lease " + Text.quote(request.key()) + ". It is a "
                            + manager.getClass().getName()
                            + ", expected a manager that grants leases. In a test, set 'lease.enabled' to 'false' or define an"
                            + " InMemoryLeaseStore bean in place of a mock");
        }
        return result;
    }
}
