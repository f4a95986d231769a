/* The Java example of docs/console.md for Spring Boot 4.1, between a line "// <name>" and a line "// end". */
package io.leasekit.docs;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

// security
@Configuration
class ConsoleSecurity {

    @Bean
    @Order(1)
    SecurityFilterChain leases(HttpSecurity http) throws Exception {
        return http.securityMatcher(EndpointRequest.to("leases"))
                .authorizeHttpRequests(requests -> requests.requestMatchers(HttpMethod.GET)
                        .hasAnyRole("LEASE_ADMIN", "LEASE_VIEWER")
                        .anyRequest()
                        .hasRole("LEASE_ADMIN"))
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.spa())
                .build();
    }
}
// end
