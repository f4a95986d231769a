package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.actuate.SecretsSanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that keeps secret keys out of actuator endpoints, even where these show values, and even if leases
 * are switched off.
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
