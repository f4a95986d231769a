package io.leasekit.spring.actuate;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.core.env.PropertyResolver;

/**
 * Decides whether the endpoint's write operations are available. Only the property
 * {@code management.endpoint.leases.access} allows them. Properties for all endpoints do not suffice, because users set
 * them without thinking of forced releases. Boot's limits of access apply, too. Stateless, so thread-safe.
 */
public final class LeasesAccess {

    private LeasesAccess() {}

    /** Returns whether {@code management.endpoint.leases.access} is {@code unrestricted}. */
    public static boolean isUnrestricted(PropertyResolver properties) {
        return properties.getProperty("management.endpoint.leases.access", Access.class) == Access.UNRESTRICTED;
    }
}
