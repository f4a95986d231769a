package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;

/**
 * Customizes the manager that the starter creates, after its properties are applied. Those of the starter add listeners and
 * meters, so an application that defines a further manager calls all beans of this type on its builder.
 */
@FunctionalInterface
public interface LeaseManagerCustomizer {

    /** Name of the manager that the properties {@code lease.*} configure. */
    String DEFAULT = "default";

    /** Customizes the builder of the manager with this name: {@link #DEFAULT}, or the bean name of a further one. */
    void customize(String name, LeaseManagerBuilder builder);
}
