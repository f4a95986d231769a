package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.LeaseUnavailableHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.PropertyPlaceholderHelper;

/** Methods that run in at most N calls at a time. */
@ExtendWith(OutputCaptureExtension.class)
class PermitMethodsTest {

    private static final LeaseRequest EXPORT = LeaseRequest.of("export").permits(2);

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Exports exports = beans.advise(new Exports());

    PermitMethodsTest() {
        beans.beanFactory.addEmbeddedValueResolver(text -> new PropertyPlaceholderHelper("${", "}", ":", null, false)
                .replacePlaceholders(text, Map.of("export.permits", "2", "export.per-node", "1")::get));
    }

    @AfterEach
    void closeTheManagers() {
        beans.close();
    }

    @Test
    void theNumbersMayBePlaceholders() {
        LeaseRequest request = exports.call(() -> {
            assertThat(beans.own.held()).singleElement().satisfies(held -> {
                assertThat(held.key()).isEqualTo("export");
                assertThat(held.permits()).isEqualTo(2);
                assertThat(held.slot()).isEqualTo(LeaseContext.current().slot());
            });
            return EXPORT;
        });

        assertThat(request).isSameAs(EXPORT);
        assertThat(beans.own.held()).isEmpty();
    }

    @Test
    void asManyCallsRunAsThereArePermits() {
        try (Lease elsewhere = beans.other.acquire(EXPORT)) {
            int slot = exports.call(() -> LeaseContext.current().slot());

            assertThat(slot).isEqualTo(1 - elsewhere.slot());
            try (Lease second = beans.other.acquire(EXPORT)) {
                assertThat(second.slot()).isEqualTo(slot);
                assertThatExceptionOfType(LeaseUnavailableException.class).isThrownBy(() -> exports.call(() -> 0));
            }
            assertThat(exports.<Integer>call(() -> 1)).isOne();
        }
    }

    @Test
    void aNodeRunsNoMoreCallsThanItsPart() {
        Lease elsewhere = exports.call(() -> {
            assertThat(beans.own.tryAcquire(EXPORT.permitsPerNode(1))).isEmpty();
            return beans.other.acquire(EXPORT);
        });
        elsewhere.close();
    }

    @Test
    void aNestedCallJoinsThePermit() {
        exports.call(() -> {
            int slot = LeaseContext.current().slot();
            return exports.call(() -> {
                assertThat(LeaseContext.current().slot()).isEqualTo(slot);
                assertThat(beans.own.held()).hasSize(1);
                return slot;
            });
        });
        assertThat(beans.own.held()).isEmpty();
    }

    @Test
    void anExclusiveLeaseOfTheSameKeyIsNoPermit() {
        exports.exclusive(() -> exports.call(() -> {
            assertThat(beans.own.held()).hasSize(2);
            return exports.exclusive(() -> {
                assertThat(beans.own.held()).hasSize(2);
                return LeaseContext.current().slot();
            });
        }));
    }

    @Test
    void theHandlerReceivesTheKeyOfTheMethod() {
        List<String> keys = new ArrayList<>();
        LeaseUnavailableHandler handler = (LeaseUnavailableCall call) -> {
            keys.add(call.key());
            return null;
        };
        beans.beanFactory.registerSingleton("handler", handler);
        try (Lease first = beans.other.acquire(EXPORT);
                Lease second = beans.other.acquire(EXPORT)) {
            assertThat(first.slot()).isNotEqualTo(second.slot());
            beans.advise(new Handled()).export();
        }

        assertThat(keys).containsExactly("export");
    }

    @Test
    void aStageKeepsItsPermitUntilItCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();

        CompletableFuture<String> result = exports.stage(work);

        assertThat(result).isNotDone();
        work.complete("done");
        assertThat(result).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("done");
    }

    @Test
    void aScheduledMethodHasNoSlotsAndNoAdvice(CapturedOutput output) {
        Jobs jobs = new Jobs();
        Jobs advised = beans.advise(jobs);
        beans.advisor.prepare();

        advised.rated();
        advised.rated();
        advised.hourly();

        assertThat(jobs.runs).isEqualTo(3);
        assertThat(output).doesNotContain("is scheduled");
        assertThat(beans.advisor.methods())
                .filteredOn(method -> method.method().contains("Jobs"))
                .hasSize(2)
                .allSatisfy(method -> assertThat(method.permits()).isEqualTo(2));
    }

    /** A body that may use the context of its call. */
    interface Body<T> {
        T run();
    }

    static class Exports {
        @DistributedLease(key = "export", permits = "${export.permits}", permitsPerNode = "${export.per-node}")
        public <T> T call(Body<T> body) {
            return body.run();
        }

        @DistributedLease("export")
        public <T> T exclusive(Body<T> body) {
            return body.run();
        }

        @DistributedLease(key = "export", permits = "2")
        public CompletableFuture<String> stage(CompletableFuture<String> work) {
            return work;
        }
    }

    static class Handled {
        @DistributedLease(key = "export", permits = "2", unavailableHandler = "handler")
        public void export() {
            throw new AssertionError("The method was called without a permit");
        }
    }

    static class Jobs {
        private int runs;

        @Scheduled(fixedRate = 60_000)
        @DistributedLease(key = "rated", permits = "2")
        public void rated() {
            runs++;
        }

        @Scheduled(cron = "@hourly")
        @DistributedLease(key = "hourly", permits = "2")
        public void hourly() {
            runs++;
        }
    }
}
