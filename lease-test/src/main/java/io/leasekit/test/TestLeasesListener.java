package io.leasekit.test;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Begins each test of a Spring context with fresh leases, ends its faults, and prints their story below a failure. */
final class TestLeasesListener implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.begin();
        }
    }

    @Override
    public void afterTestExecution(TestContext context) {
        TestLeases leases = leases(context);
        Throwable failure = context.getTestException();
        if (leases != null && failure != null) {
            failure.addSuppressed(new StoryOfLeases(leases));
        }
    }

    /** Without faults, leaders release their leases when the context closes: nobody moves the time then. */
    @Override
    public void afterTestMethod(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.world().rest();
        }
    }

    /** Loads no context: a test without one has no leases. */
    private static @Nullable TestLeases leases(TestContext context) {
        return context.hasApplicationContext()
                ? context.getApplicationContext()
                        .getBeanProvider(TestLeases.class)
                        .getIfAvailable()
                : null;
    }
}
