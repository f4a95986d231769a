package io.leasekit.shedlock;

import io.leasekit.LeaseManager;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Configures a {@link LockProvider} whose locks are leases, unless the application defines another provider. The lock
 * provider and the {@link LeaseManager} are created at first use.
 */
@AutoConfiguration(afterName = "io.leasekit.spring.autoconfigure.LeaseAutoConfiguration")
@ConditionalOnClass(LockProvider.class)
@ConditionalOnBean(LeaseManager.class)
public final class LeaseShedLockAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean(LockProvider.class)
    LeaseLockProvider leaseLockProvider(LeaseManager leases, Environment environment) {
        // The binder accepts all spellings of the property name, as the starter does.
        String prefix =
                Binder.get(environment).bind("lease.key-prefix", String.class).orElse("");
        return new LeaseLockProvider(leases, prefix);
    }
}
