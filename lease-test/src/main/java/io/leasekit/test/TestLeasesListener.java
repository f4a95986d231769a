package io.leasekit.test;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Starts each class and each test of a Spring context with fresh leases. Starts the elections just before the test
 * method. Ends the faults of a test, and prints the history below a failure.
 */
final class TestLeasesListener implements TestExecutionListener {

    /** Needed because an earlier class may have used the same context. */
    @Override
    public void beforeTestClass(TestContext context) {
        beforeTestMethod(context);
    }

    @Override
    public void beforeTestMethod(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.begin();
        }
    }

    /** Runs after the methods with {@code @BeforeEach}, which prepare what the leaders need. */
    @Override
    public void beforeTestExecution(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.processes().lead();
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

    /**
     * Ends the faults, so that leaders can release their leases when the context closes: at that point, nobody moves
     * the time.
     */
    @Override
    public void afterTestMethod(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.world().rest();
        }
    }

    /** Returns the leases of the context. Loads no context: a test without a context has no leases. */
    private static @Nullable TestLeases leases(TestContext context) {
        return context.hasApplicationContext()
                ? context.getApplicationContext()
                        .getBeanProvider(TestLeases.class)
                        .getIfAvailable()
                : null;
    }
}
