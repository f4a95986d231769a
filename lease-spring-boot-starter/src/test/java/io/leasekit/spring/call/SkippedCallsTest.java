package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.SkippedCallListener;
import io.leasekit.spring.aop.LeasedBeans;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Listeners of skipped calls that fail. */
class SkippedCallsTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Jobs jobs = beans.advise(new Jobs());
    private final Lease theirs = beans.other.tryAcquire("key").orElseThrow();
    private final List<String> skipped = new ArrayList<>();

    @AfterEach
    void close() {
        theirs.close();
        beans.close();
    }

    /** A listener in Kotlin may throw a checked exception. */
    static Stream<Throwable> failures() {
        return Stream.of(
                new IllegalStateException("by design"),
                new NoClassDefFoundError("by design"),
                new IOException("by design"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whateverAListenerThrowsTheCallIsSkippedAndTheOtherListenersAreCalled(Throwable failure) {
        listen("first", call -> SkippedCallsTest.<RuntimeException>sneak(failure));
        listen("second", call -> skipped.add(call.name()));

        jobs.run();

        assertThat(skipped).containsExactly("key");
    }

    @Test
    void aListenerThatCannotBeCreatedIsNoFailureOfTheCall() {
        beans.beanFactory.registerBeanDefinition("broken", new RootBeanDefinition(SkippedCallListener.class, () -> {
            throw new NoClassDefFoundError("by design");
        }));

        jobs.run();

        assertThat(beans.advisor.methods())
                .singleElement()
                .satisfies(method -> assertThat(method.skippedUnavailable()).isOne());
    }

    private void listen(String name, SkippedCallListener listener) {
        beans.beanFactory.registerSingleton(name, listener);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    static class Jobs {

        @DistributedLease(key = "key", onUnavailable = OnUnavailable.SKIP)
        public void run() {
            throw new AssertionError("ran without its lease");
        }
    }
}
