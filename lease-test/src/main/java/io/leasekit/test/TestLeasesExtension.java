package io.leasekit.test;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * A JUnit extension that gives each test its own {@link TestLeases}, as a parameter of the test method or of a method
 * with {@code @BeforeEach} or {@code @AfterEach}. If a test fails, its output contains the history of its leases. The
 * extension is for tests without Spring; a test with a Spring context uses {@link AutoConfigureTestLeases} instead.
 * Thread-safe.
 */
public final class TestLeasesExtension
        implements BeforeEachCallback, AfterEachCallback, ParameterResolver, TestExecutionExceptionHandler {

    private static final Namespace NAMESPACE = Namespace.create(TestLeasesExtension.class);

    /** Creates the extension. */
    public TestLeasesExtension() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        if (Stream.<Class<?>>iterate(context.getRequiredTestClass(), Objects::nonNull, Class::getEnclosingClass)
                .anyMatch(type -> type.isAnnotationPresent(AutoConfigureTestLeases.class))) {
            throw new IllegalStateException(
                    "Class " + context.getRequiredTestClass().getName()
                            + " has both @AutoConfigureTestLeases and TestLeasesExtension, expected one of them:"
                            + " two kits do not share their leases");
        }
        context.getStore(NAMESPACE).put(TestLeases.class, TestLeases.create());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestLeases leases = leases(context);
        if (leases != null) {
            leases.end();
        }
    }

    private static @Nullable TestLeases leases(ExtensionContext context) {
        return context.getStore(NAMESPACE).get(TestLeases.class, TestLeases.class);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestLeases.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestLeases leases = leases(context);
        if (leases == null) {
            throw new ParameterResolutionException("TestLeases belong to one test, so they cannot be a parameter of "
                    + parameter.getDeclaringExecutable() + ", expected a test method or a method with @BeforeEach");
        }
        return leases;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        TestLeases leases = leases(context);
        if (leases != null) {
            failure.addSuppressed(new StoryOfLeases(leases));
        }
        throw failure;
    }
}
