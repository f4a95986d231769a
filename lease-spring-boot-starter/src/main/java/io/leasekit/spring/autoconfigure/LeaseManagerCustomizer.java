package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;

/**
 * Customizes the manager that the starter creates, after the properties {@code lease.*} have been applied to its
 * builder. The starter's own customizers add listeners and meters. An application that defines another manager should
 * pass the builder of that manager to all beans of this type, so that the manager gets these listeners and meters.
 */
@FunctionalInterface
public interface LeaseManagerCustomizer {

    /** Name of the manager that the properties {@code lease.*} configure. */
    String DEFAULT = "default";

    /** Customizes the builder of the manager with this name: {@link #DEFAULT}, or the bean name of another manager. */
    void customize(String name, LeaseManagerBuilder builder);
}
