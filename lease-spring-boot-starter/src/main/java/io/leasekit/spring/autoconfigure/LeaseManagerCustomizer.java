package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;

/**
 * Customizes each manager that the starter creates, after its properties are applied. Beans of this type are registered
 * automatically.
 */
@FunctionalInterface
public interface LeaseManagerCustomizer {

    /** Name of the manager that the properties {@code lease.*} configure. */
    String DEFAULT = "default";

    /** Customizes the builder of the manager {@code lease.managers.<name>.*}, or of {@link #DEFAULT}. */
    void customize(String name, LeaseManagerBuilder builder);
}
