package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.actuate.SecretsSanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that hides secret keys in actuator endpoints, even if an endpoint shows values, and even while
 * leases are switched off.
 */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
public final class LeaseSanitizingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SecretsSanitizer leaseSecretsSanitizer() {
        return new SecretsSanitizer();
    }
}
