package io.leasekit.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.Progress;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods that stop the start of the application, with the place and the fix. */
class LeaderMethodRefusalsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    PropertyPlaceholderAutoConfiguration.class,
                    AopAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    private void assertRefused(Class<?> type, String problem, String fix) {
        assertRefused(runner.withBean(type), type, problem, fix);
    }

    private static void assertRefused(ApplicationContextRunner runner, Class<?> type, String problem, String fix) {
        runner.run(context -> {
            Throwable failure = context.getStartupFailure();
            assertThat(failure).isNotNull();
            while (failure != null && !(failure instanceof InvalidLeaseMethodException)) {
                failure = failure.getCause();
            }
            assertThat(failure).hasMessage("@LeaderOnly on '" + type.getName() + ".run': " + problem);
            assertThat(((InvalidLeaseMethodException) failure).fix()).isEqualTo(fix);
        });
    }

    static class WithResult {
        @LeaderOnly("key")
        public String run() {
            return "result";
        }
    }

    @Test
    void aResult() {
        assertRefused(
                WithResult.class,
                "its result of type 'java.lang.String' would be ignored, and the lease is released when it returns",
                "Declare it as 'void', and return when the work has ended.");
    }

    static class WithParameters {
        @LeaderOnly("key")
        public void run(Lease lease, String text) {}
    }

    static class WithTwoLeases {
        @LeaderOnly("key")
        public void run(Lease lease, Lease another) {}
    }

    static class WithRawProgress {
        @LeaderOnly("key")
        @SuppressWarnings("rawtypes")
        public void run(Progress progress) {}
    }

    @Test
    void progressWithoutTheTypeOfItsValues() {
        assertRefused(
                WithRawProgress.class,
                "it has a parameter of type Progress without the type of its values, expected one such as Progress<String>",
                "Name the type of the values.");
    }

    static class WithOtherParameter {
        @LeaderOnly("key")
        public void run(String text) {}
    }

    @Test
    void parameters() {
        String fix = "Remove the other parameters, and inject what the method needs into its bean.";
        assertRefused(
                WithParameters.class,
                "it has 2 parameters, expected at most one of type 'io.leasekit.Lease' and one of type"
                        + " 'io.leasekit.Progress'",
                fix);
        assertRefused(
                WithTwoLeases.class,
                "it has 2 parameters, expected at most one of type 'io.leasekit.Lease' and one of type"
                        + " 'io.leasekit.Progress'",
                fix);
        assertRefused(
                WithOtherParameter.class,
                "it has a parameter of type 'java.lang.String', expected at most one of type 'io.leasekit.Lease' and one of type"
                        + " 'io.leasekit.Progress'",
                fix);
    }

    static final class Final {
        @LeaderOnly("key")
        public void run() {}
    }

    record Record() {
        @LeaderOnly("key")
        public void run() {}
    }

    @Test
    void aFinalClass() {
        for (Class<?> type : List.of(Final.class, Record.class)) {
            runner.withBean(type)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("final class " + type.getName()));
        }
    }

    static class FinalMethod {
        @LeaderOnly("key")
        public final void run() {}
    }

    static class PrivateMethod {
        @LeaderOnly("key")
        private void run() {}
    }

    static class StaticMethod {
        @LeaderOnly("key")
        static void run() {}
    }

    @Test
    void aMethodThatNoProxyCanGuard() {
        assertRefused(
                FinalMethod.class,
                "the method is final, so no proxy can keep other callers from it",
                "Remove 'final', or move the method to another bean.");
        assertRefused(
                PrivateMethod.class,
                "the method is private, so no proxy can keep other callers from it",
                "Remove 'private', or move the method to another bean.");
        assertRefused(
                StaticMethod.class,
                "the method is static, so no proxy can keep other callers from it",
                "Remove 'static', or move the method to another bean.");
    }

    static class Scheduling {
        @LeaderOnly("key")
        @Scheduled(fixedDelay = 1_000)
        public void run() {}
    }

    @Async
    static class AsyncClass {
        @LeaderOnly("key")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface SqsListener {}

    static class Listening {
        @LeaderOnly("key")
        @SqsListener
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Asynchronous {}

    static class AsynchronousMethod {
        @LeaderOnly("key")
        @Asynchronous
        public void run() {}
    }

    @Asynchronous
    static class AsynchronousClass {
        @LeaderOnly("key")
        public void run() {}
    }

    @Test
    void anAnnotationByWhichOthersCallIt() {
        assertRefused(
                Scheduling.class,
                "it also has @Scheduled, but only its election may call it, on a thread of its own",
                "Remove @Scheduled, or move its work to another method.");
        assertRefused(
                AsyncClass.class,
                "it also has @Async, but only its election may call it, on a thread of its own",
                "Remove @Async, or move its work to another method.");
        assertRefused(
                Listening.class,
                "it also has @SqsListener, but only its election may call it, on a thread of its own",
                "Remove @SqsListener, or move its work to another method.");
        for (Class<?> type : List.of(AsynchronousMethod.class, AsynchronousClass.class)) {
            assertRefused(
                    type,
                    "it also has @Asynchronous, but only its election may call it, on a thread of its own",
                    "Remove @Asynchronous, or move its work to another method.");
        }
    }

    static class WithoutKey {
        @LeaderOnly
        public void run() {}
    }

    static class WithExpression {
        @LeaderOnly("key-#{@bean.name}")
        public void run() {}
    }

    static class WithPlaceholder {
        @LeaderOnly("${missing}")
        public void run() {}
    }

    @Test
    void aKeyThatIsMissingOrDiffers() {
        assertRefused(WithoutKey.class, "it has no key", "Name one, as in @LeaderOnly(\"ingest\").");
        assertRefused(
                WithExpression.class,
                "the key 'key-#{@bean.name}' has an expression, but it must be the same on all nodes",
                "Write a constant text; it may have ${…} placeholders.");
        assertRefused(
                WithPlaceholder.class,
                "key cannot be read: Could not resolve placeholder 'missing' in value \"${missing}\"",
                "Set the property.");
    }

    static class Blank {
        @LeaderOnly(" ")
        public void run() {}
    }

    @Test
    void aBlankKey() {
        assertRefused(
                runner.withBean(Blank.class).withPropertyValues("lease.key-prefix=prefix"),
                Blank.class,
                "it has no key",
                "Name one, as in @LeaderOnly(\"ingest\").");
    }

    static class First {
        @LeaderOnly("key")
        public void run() {}
    }

    static class Second {
        @LeaderOnly("key")
        public void run() {}
    }

    @Test
    void twoMethodsWithOneKey() {
        assertRefused(
                runner.withBean(First.class).withBean(Second.class),
                First.class,
                "the key 'key' is also used by '" + Second.class.getName()
                        + ".run', so only one of the two methods would run at a time",
                "Give each method a key of its own.");
    }

    static class OfANamedManager {
        @LeaderOnly(key = "key", manager = "leaseManager")
        public void run() {}
    }

    @Test
    void twoMethodsWithOneKeyWhoseManagerOneOfThemNames() {
        assertRefused(
                runner.withBean(First.class).withBean(OfANamedManager.class),
                First.class,
                "the key 'key' is also used by '" + OfANamedManager.class.getName()
                        + ".run', so only one of the two methods would run at a time",
                "Give each method a key of its own.");
    }

    @Test
    void aBeanThatIsNotASingleton() {
        assertRefused(
                runner.withBean("first", First.class, First::new, definition -> definition.setScope("prototype")),
                First.class,
                "the bean 'first' is not a singleton, so it is not clear which instance should lead",
                "Make the bean a singleton.");
    }

    static class LongStopTimeout {
        @LeaderOnly(key = "key", ttl = "30s", stopTimeout = "10001ms")
        public void run() {}
    }

    static class ShortTtl {
        @LeaderOnly(key = "key", ttl = "1s")
        public void run() {}
    }

    static class NoDuration {
        @LeaderOnly(key = "key", stopTimeout = "soon")
        public void run() {}
    }

    static class WithoutUnit {
        @LeaderOnly(key = "key", ttl = "30")
        public void run() {}
    }

    @Test
    void durationsOutOfRange() {
        assertRefused(
                LongStopTimeout.class,
                "stopTimeout is 10.001 s, expected at most a third of the ttl of 30 s, so that renewals can be retried"
                        + " before",
                "Correct 'stopTimeout' or the property 'lease.leader.stop-timeout', or use a longer ttl.");
        assertRefused(
                ShortTtl.class,
                "ttl is 1 s for lease key 'key', expected between 2 s and 365 d",
                "Correct the key or 'ttl'.");
        assertRefused(
                WithoutUnit.class,
                "ttl is '30', which would be 30 ms: is the unit missing?",
                "Write '30s' for seconds, or '30ms'.");
        assertRefused(
                NoDuration.class,
                "stopTimeout is 'soon', expected a duration",
                "Use the format of '500ms', '10s', '5m' or 'PT1H'.");
    }

    static class OtherManager {
        @LeaderOnly(key = "key", manager = "other")
        public void run() {}
    }

    @Test
    void aManagerThatDoesNotExist() {
        assertRefused(
                OtherManager.class,
                "there is no LeaseManager bean with the name or qualifier 'other', found 'leaseManager'",
                "Name an existing manager with 'manager', or define one LeaseManager or make one @Primary.");
    }
}
