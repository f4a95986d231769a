package io.leasekit.test;

/**
 * An exception whose message is the history of a test's leases. The exception is added to the test's failure as a
 * suppressed exception, so that the history is printed below the failure.
 */
final class StoryOfLeases extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryOfLeases(TestLeases leases) {
        super(leases.toString(), null, false, false);
    }
}
