package io.leasekit.spring.actuate;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.core.env.PropertyResolver;

/**
 * Decides whether write operations of the endpoint {@code leases} are available. Write operations are available only if
 * the property {@code management.endpoint.leases.access} allows them. A property for all endpoints does not allow write
 * operations, because users set it without thinking of forced releases. Spring Boot's own access rules also apply.
 * Stateless, so thread-safe.
 */
public final class LeasesAccess {

    private LeasesAccess() {}

    /** Returns whether {@code management.endpoint.leases.access} is {@code unrestricted}. */
    public static boolean isUnrestricted(PropertyResolver properties) {
        return properties.getProperty("management.endpoint.leases.access", Access.class) == Access.UNRESTRICTED;
    }
}
