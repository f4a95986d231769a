package io.leasekit.spring.call;

import io.leasekit.internal.Internal;

/** Thrown if no {@code LeaseManager} bean, or more than one, matches an annotated method. */
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
