package io.leasekit.dynamodb;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/**
 * A test that counts requests. It is run up to three times, each with its own instance, until a run succeeds: a busy
 * machine may answer a request too late, which is then sent again.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(OneOfThree.Runs.class)
@interface OneOfThree {

    /** The runs of one test. */
    final class Runs implements TestTemplateInvocationContextProvider {

        private static final int MOST = 3;

        @Override
        public boolean supportsTestTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
            AtomicBoolean succeeded = new AtomicBoolean();
            return IntStream.rangeClosed(1, MOST)
                    .takeWhile(number -> !succeeded.get())
                    .mapToObj(number -> new Run(number == MOST, succeeded));
        }
    }

    /** One run. Its failed assertions are those of the test only if it is the last one. */
    final class Run
            implements TestTemplateInvocationContext, TestExecutionExceptionHandler, AfterTestExecutionCallback {

        private final boolean isLast;
        private final AtomicBoolean succeeded;
        private boolean failed;

        Run(boolean isLast, AtomicBoolean succeeded) {
            this.isLast = isLast;
            this.succeeded = succeeded;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
            failed = true;
            if (isLast || !(failure instanceof AssertionError)) {
                throw failure;
            }
            System.out.println(context.getRequiredTestMethod().getName() + " is run again: " + failure);
        }

        @Override
        public void afterTestExecution(ExtensionContext context) {
            succeeded.set(!failed);
        }
    }
}
