package io.leasekit.spring.boot3;

import java.util.Map;

/**
 * Health check for leases that does not depend on the version of Spring Boot. The starter provides the check. A health
 * contributor shows the result of the check. Spring Boot 3.5 and Spring Boot 4 have different health contributors.
 */
public interface LeaseHealthCheck {

    /**
     * Result of the health check.
     *
     * @param up whether this process can hold leases, as far as the check knows; true if the state is unknown
     * @param details the values from which the check has derived {@code up}, without keys and secrets
     */
    record Result(boolean up, Map<String, Object> details) {
        /** Copies the details. */
        public Result {
            details = Map.copyOf(details);
        }
    }

    /** Performs the check. The check may send one read for each manager; each read takes at most two seconds. */
    Result check();
}
