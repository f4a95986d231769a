package io.leasekit.spring.key;

import io.leasekit.internal.Internal;

/**
 * Thrown if the key in a lease annotation is invalid. The message does not contain the name of the annotated method, so
 * callers add the name.
 */
@Internal
public final class InvalidLeaseKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String fix;

    InvalidLeaseKeyException(String problem, String fix) {
        super(problem);
        this.fix = fix;
    }

    public String fix() {
        return fix;
    }
}
