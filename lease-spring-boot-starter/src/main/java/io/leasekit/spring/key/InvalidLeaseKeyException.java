package io.leasekit.spring.key;

import io.leasekit.internal.Internal;

/** A key that cannot be read, and the cure; whoever knows the method names it. */
@Internal
public final class InvalidLeaseKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    InvalidLeaseKeyException(String problem, String cure) {
        super(problem);
        this.cure = cure;
    }

    /** Returns the cure. */
    public String cure() {
        return cure;
    }
}
