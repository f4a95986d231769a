package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;

/**
 * Customizes the manager that the starter creates, after the starter has applied the properties {@code lease.*}. The
 * starter's own customizers add listeners and meters. An application that creates its own manager should pass the
 * builder to all {@code LeaseManagerCustomizer} beans, to get the same listeners and meters.
 */
@FunctionalInterface
public interface LeaseManagerCustomizer {

    /** Name of the manager that the properties {@code lease.*} configure. */
    String DEFAULT = "default";

    /** Customizes the builder of the manager with this name ({@link #DEFAULT}, or the bean name of another manager). */
    void customize(String name, LeaseManagerBuilder builder);
}
