package io.leasekit.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/** A setting that leases cannot work with, found at start-up; it carries the cure. */
final class LeaseSetupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    LeaseSetupException(String problem, String cure, @Nullable Throwable cause) {
        super(problem, cause);
        this.cure = cure;
    }

    String cure() {
        return cure;
    }
}
