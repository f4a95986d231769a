package io.leasekit.spring.call;

import io.leasekit.internal.Internal;

/**
 * Thrown if there is no {@code LeaseManager} bean for an annotated method, or if several beans match. The exception
 * contains a proposed fix, which the failure report at startup shows.
 */
@Internal
public final class NoSuchLeaseManagerException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String fix;

    NoSuchLeaseManagerException(String problem, String fix, Throwable cause) {
        super(problem, cause);
        this.fix = fix;
    }

    public String fix() {
        return fix;
    }
}
