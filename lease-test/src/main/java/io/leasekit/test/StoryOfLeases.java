package io.leasekit.test;

/** The history of a test's leases, as a suppressed exception that is printed below the failure of the test. */
final class StoryOfLeases extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryOfLeases(TestLeases leases) {
        super(leases.toString(), null, false, false);
    }
}
