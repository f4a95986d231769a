package io.leasekit.spring.call;

import io.leasekit.internal.Internal;

/**
 * Thrown if the manager of a method does not exist or is ambiguous. The exception contains the fix that a start-up
 * report proposes.
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
