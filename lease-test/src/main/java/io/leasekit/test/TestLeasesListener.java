package io.leasekit.test;

import org.jspecify.annotations.Nullable;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Frees all keys before each test class and before each test with a Spring context. Starts the elections of
 * {@code @LeaderOnly} methods just before the test method. After a test, ends the faults that the test has simulated.
 * If the test has failed, prints the history of the leases below the failure.
 */
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

    /**
     * Starts the elections after the methods with {@code @BeforeEach}, because these methods prepare the objects that
     * leaders need.
     */
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
     * Ends the simulated faults, so that leaders can release their leases when the context closes. A simulated latency
     * would block the release, because no test moves the virtual time while the context closes.
     */
    @Override
    public void afterTestMethod(TestContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.world().rest();
        }
    }

    /**
     * Returns the {@code TestLeases} bean of the context; {@code null} if the context is not loaded or has no
     * {@code TestLeases} bean.
     */
    private static @Nullable TestLeases leases(TestContext context) {
        return context.hasApplicationContext()
                ? context.getApplicationContext()
                        .getBeanProvider(TestLeases.class)
                        .getIfAvailable()
                : null;
    }
}
