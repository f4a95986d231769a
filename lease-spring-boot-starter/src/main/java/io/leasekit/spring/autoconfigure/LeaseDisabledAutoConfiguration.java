package io.leasekit.spring.autoconfigure;

import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Says at start-up that leases are switched off: annotated methods then run in any number of processes. */
@AutoConfiguration
@ConditionalOnProperty(name = "lease.enabled", havingValue = "false")
public final class LeaseDisabledAutoConfiguration {

    LeaseDisabledAutoConfiguration() {
        LoggerFactory.getLogger(LeaseDisabledAutoConfiguration.class)
                .warn(
                        "Leases are switched off by 'lease.enabled=false': methods with @DistributedLease run without one");
    }
}
