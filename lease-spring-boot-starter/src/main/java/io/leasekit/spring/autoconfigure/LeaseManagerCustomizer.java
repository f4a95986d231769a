package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;

/** Changes each manager that the starter makes, after its properties were applied. Beans of this type are found by themselves. */
@FunctionalInterface
public interface LeaseManagerCustomizer {

    /** The name of the manager whose properties are {@code lease.*}. */
    String DEFAULT = "default";

    /** Changes the builder of the manager {@code lease.managers.<name>.*}, or of {@link #DEFAULT}. */
    void customize(String name, LeaseManager.Builder builder);
}
