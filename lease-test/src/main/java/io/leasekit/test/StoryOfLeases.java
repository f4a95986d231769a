package io.leasekit.test;

/**
 * Contains the history of the leases of a test. As a suppressed exception, it prints this history below the failure of
 * the test; it reports no failure of its own.
 */
final class StoryOfLeases extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryOfLeases(TestLeases leases) {
        super(leases.toString(), null, false, false);
    }
}
