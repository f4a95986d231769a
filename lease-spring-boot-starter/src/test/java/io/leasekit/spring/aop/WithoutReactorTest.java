package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications without Reactor, Kotlin and context propagation on their class path. */
class WithoutReactorTest {

    private static final Pattern OPTIONAL =
            Pattern.compile(".*/(reactor-|kotlin|context-propagation|rxjava|mutiny|blockhound)[^/]*\\.jar");

    @Test
    void blockingMethodsAndStagesWork() throws Exception {
        assertThat(Without.run(OPTIONAL, Working.class)).isEqualTo("blocking stage");
    }

    @Test
    void aReactiveMethodIsRefusedWithTheMissingLibrary() throws Exception {
        assertThat(Without.run(OPTIONAL, Refused.class))
                .isEqualTo(
                        "@DistributedLease on '" + Reactive.class.getName()
                                + ".run': the lease of a 'java.util.concurrent.Flow$Publisher' can be held only with Project Reactor");
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
                .withBean(InMemoryLeaseStore.class);
    }

    /** Runs within the class loader. */
    public static final class Working implements Callable<String> {

        @Override
        public String call() {
            String[] result = new String[1];
            runner().withBean(Jobs.class).run(context -> {
                Jobs jobs = context.getBean(Jobs.class);
                result[0] = jobs.blocking() + " " + jobs.stage().join();
            });
            return result[0];
        }
    }

    /** Runs within the class loader. */
    public static final class Refused implements Callable<String> {

        @Override
        public String call() {
            String[] result = new String[1];
            runner().withBean(Reactive.class).run(context -> {
                Throwable cause = context.getStartupFailure();
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                result[0] = cause.getMessage();
            });
            return result[0];
        }
    }

    public static class Jobs {

        @DistributedLease("blocking")
        public String blocking() {
            return LeaseContext.current().key();
        }

        @DistributedLease("stage")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture(LeaseContext.current().key());
        }
    }

    public static class Reactive {

        @DistributedLease("reactive")
        public Flow.Publisher<String> run() {
            return subscriber -> {};
        }
    }
}
