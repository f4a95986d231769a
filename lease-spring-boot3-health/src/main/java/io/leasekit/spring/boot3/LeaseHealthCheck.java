package io.leasekit.spring.boot3;

import java.util.Map;

/**
 * Tells whether leases can be kept, in terms of no version of Spring Boot: the starter makes it, and each version shows it in
 * its own way.
 */
public interface LeaseHealthCheck {

    /**
     * What was found.
     *
     * @param up whether leases can be kept, as far as is known
     * @param details what that rests on; without keys and secrets
     */
    record Result(boolean up, Map<String, Object> details) {
        /** Keeps a copy of the details. */
        public Result {
            details = Map.copyOf(details);
        }
    }

    /** Looks. May send one read, which takes two seconds at most. */
    Result check();
}
