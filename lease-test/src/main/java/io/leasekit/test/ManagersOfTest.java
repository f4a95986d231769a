package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.engine.EngineBuilder;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Lets the managers of a Spring context run in the test. Used while the context creates them, one after another. */
final class ManagersOfTest {

    private final TestLeases leases;
    private final AtomicReference<@Nullable EngineBuilder> last = new AtomicReference<>();

    ManagersOfTest(TestLeases leases) {
        this.leases = leases;
    }

    void host(LeaseManagerBuilder builder) {
        leases.host(builder);
        last.set((EngineBuilder) builder);
    }

    /**
     * Returns the manager to use in place of this engine.
     *
     * @throws IllegalStateException if the starter has not built the engine
     */
    LeaseManager manage(LeaseManager engine, String bean) {
        EngineBuilder builder = last.getAndSet(null);
        if (builder == null) {
            throw new IllegalStateException("LeaseManager bean '" + bean + "' is built by the application, so it does not"
                    + " run in the time of the test, expected one built by the starter: configure it by the properties"
                    + " 'lease.*' or 'lease.managers.*', or by a LeaseManagerCustomizer bean");
        }
        return leases.manage(engine, builder);
    }
}
