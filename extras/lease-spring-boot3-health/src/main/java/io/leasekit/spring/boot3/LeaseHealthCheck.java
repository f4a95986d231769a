package io.leasekit.spring.boot3;

import java.util.Map;

/**
 * A health check for leases that does not depend on the version of Spring Boot. The starter provides the check as a
 * bean. Each of Spring Boot 3.5 and 4 has its own health contributor, which shows the result of the check.
 */
public interface LeaseHealthCheck {

    /**
     * Result of the health check.
     *
     * @param up {@code false} if the check has found a problem with the leases of this process; {@code true} if the
     *     check has found no problem, or if the state is unknown
     * @param details the values on which {@code up} is based; they contain no lease keys and no secrets
     */
    record Result(boolean up, Map<String, Object> details) {
        /** Copies the details. */
        public Result {
            details = Map.copyOf(details);
        }
    }

    /**
     * Performs the check. The check may send one read request for each manager, and waits at most two seconds for each
     * reply.
     */
    Result check();
}
