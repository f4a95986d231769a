package io.leasekit.spring.autoconfigure;

import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.env.Environment;

/**
 * Logs at start-up that leases are switched off, so annotated methods may run in several processes at once. With Spring
 * AOT, beans are chosen at build time. Switching leases on afterwards would have no effect, so it prevents the
 * application from starting.
 */
@AutoConfiguration
@ConditionalOnProperty(name = "lease.enabled", havingValue = "false")
public final class LeaseDisabledAutoConfiguration {

    LeaseDisabledAutoConfiguration(Environment environment) {
        if (environment.getProperty("lease.enabled", Boolean.class, true)) {
            throw new LeaseSetupException(
                    "Property 'lease.enabled' is 'true', but was 'false' when the application was built ahead of time, so"
                            + " methods with @DistributedLease would run without a lease",
                    "Build the application with 'lease.enabled=true'; it can still be switched off at run time.",
                    null);
        }
        warn();
    }

    static void warn() {
        LoggerFactory.getLogger(LeaseDisabledAutoConfiguration.class)
                .warn(
                        "Leases are switched off by 'lease.enabled=false': methods with @DistributedLease run without one");
    }
}
