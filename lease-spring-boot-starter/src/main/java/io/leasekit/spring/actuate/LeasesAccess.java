package io.leasekit.spring.actuate;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.core.env.PropertyResolver;

/**
 * The access to the operations of the endpoint that write. Only a property of its own opens them: one that enables the endpoint, or
 * opens all endpoints, was not set with forced releases in mind. Boot's limits of access apply, too. Stateless, so thread-safe.
 */
public final class LeasesAccess {

    private LeasesAccess() {}

    /** Returns whether {@code management.endpoint.leases.access} is {@code unrestricted}. */
    public static boolean isUnrestricted(PropertyResolver properties) {
        return properties.getProperty("management.endpoint.leases.access", Access.class) == Access.UNRESTRICTED;
    }
}
