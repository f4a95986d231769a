package io.leasekit.test;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Prepares the leases of each test with a Spring context, and adds the history of the leases to a failure. */
final class TestLeasesListener implements TestExecutionListener {

    /**
     * Frees all keys before the methods with {@code @BeforeAll}, because an earlier test class may have used the same
     * context.
     */
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

    /** Starts the elections after the methods with {@code @BeforeEach}, which prepare the objects that leaders need. */
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

    @Override
    public void afterTestMethod(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.world().rest();
        }
    }

    private static @Nullable TestLeases leases(TestContext context) {
        return context.hasApplicationContext()
                ? context.getApplicationContext()
                        .getBeanProvider(TestLeases.class)
                        .getIfAvailable()
                : null;
    }
}
