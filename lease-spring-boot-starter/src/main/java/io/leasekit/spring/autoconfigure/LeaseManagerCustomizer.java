package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;

/**
 * Customizes the manager that the starter creates, after the properties {@code lease.*} have been applied to its
 * builder. The starter's own beans of this type add listeners and meters. If the application defines another manager,
 * the application should pass the manager's builder to all beans of this type, so that this manager gets the same
 * listeners and meters.
 */
@FunctionalInterface
public interface LeaseManagerCustomizer {

    /** Name of the manager that the properties {@code lease.*} configure. */
    String DEFAULT = "default";

    /** Customizes the builder of the manager with this name: {@link #DEFAULT}, or the bean name of another manager. */
    void customize(String name, LeaseManagerBuilder builder);
}
