package io.leasekit.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Thrown at startup for an invalid setting or an unusable table, with a text that says how to fix the problem. */
final class LeaseSetupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String fix;

    LeaseSetupException(String problem, String fix, @Nullable Throwable cause) {
        super(problem, cause);
        this.fix = fix;
    }

    String fix() {
        return fix;
    }
}
