package io.leasekit.spring.boot3;

import java.util.Map;

/**
 * Health check for leases that is independent of the version of Spring Boot. The starter provides it, and each version
 * of Spring Boot has its own contributor that shows it.
 */
public interface LeaseHealthCheck {

    /**
     * Result of a check.
     *
     * @param up whether leases can be kept, as far as known
     * @param details the underlying values, without keys and secrets
     */
    record Result(boolean up, Map<String, Object> details) {
        /** Copies the details. */
        public Result {
            details = Map.copyOf(details);
        }
    }

    /** Performs the check. It may send one read for each manager, which takes two seconds at most. */
    Result check();
}
