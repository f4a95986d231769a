package io.leasekit.spring.boot3;

import java.util.Map;

/**
 * Health check for leases that does not depend on the version of Spring Boot. The starter provides the check; a
 * separate health contributor for each version of Spring Boot shows the result.
 */
public interface LeaseHealthCheck {

    /**
     * Result of a check.
     *
     * @param up whether this process can hold leases, as far as known
     * @param details the underlying values, without keys and secrets
     */
    record Result(boolean up, Map<String, Object> details) {
        /** Copies the details. */
        public Result {
            details = Map.copyOf(details);
        }
    }

    /** Performs the check. May send one read for each manager, which takes at most two seconds. */
    Result check();
}
