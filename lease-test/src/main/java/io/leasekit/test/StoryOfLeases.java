package io.leasekit.test;

/** Prints the story of the leases below the failure of a test. It is no failure of its own. */
final class StoryOfLeases extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoryOfLeases(TestLeases leases) {
        super(leases.toString(), null, false, false);
    }
}
