package io.leasekit.test;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Begins each class and each test of a Spring context with fresh leases, and the elections with the first statement of the test.
 * Ends the faults of a test, and prints the story below a failure.
 */
final class TestLeasesListener implements TestExecutionListener {

    /** The context may be one that an earlier class has used. */
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

    /** After the methods with {@code @BeforeEach}, which prepare what the leaders need. */
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
