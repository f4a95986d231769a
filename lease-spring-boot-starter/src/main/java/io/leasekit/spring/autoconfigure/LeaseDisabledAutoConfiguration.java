package io.leasekit.spring.autoconfigure;

import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.env.Environment;

/**
 * Says at start-up that leases are switched off: annotated methods then run in any number of processes. Where beans were decided
 * on at build time (Spring AOT), switching leases on afterwards has no effect, which stops the start.
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
