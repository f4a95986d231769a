package io.leasekit.test;

/**
 * The history of the leases of a test, as a suppressed exception of the test's failure, so that the history is printed
 * below the failure. This exception reports no failure of its own.
 */
final class StoryOfLeases extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryOfLeases(TestLeases leases) {
        super(leases.toString(), null, false, false);
    }
}
