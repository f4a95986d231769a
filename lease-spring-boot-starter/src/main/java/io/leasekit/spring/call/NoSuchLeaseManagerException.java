package io.leasekit.spring.call;

import io.leasekit.internal.Internal;

/** Thrown if the manager of a method does not exist or is ambiguous. It carries the fix. */
@Internal
public final class NoSuchLeaseManagerException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    NoSuchLeaseManagerException(String problem, String cure, Throwable cause) {
        super(problem, cause);
        this.cure = cure;
    }

    public String cure() {
        return cure;
    }
}
