package io.leasekit.test;

/** Prints the history of the leases below the failure of a test. Not a failure itself. */
final class StoryOfLeases extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryOfLeases(TestLeases leases) {
        super(leases.toString(), null, false, false);
    }
}
