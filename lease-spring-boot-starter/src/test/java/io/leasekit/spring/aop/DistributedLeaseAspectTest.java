package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.check.StandIns;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.scheduling.annotation.Scheduled;

class DistributedLeaseAspectTest {

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final LeasedBeans beans = new LeasedBeans(store);
    private final LeaseManager other = beans.other;
    private final DefaultListableBeanFactory beanFactory = beans.beanFactory;

    @AfterEach
    void closeTheManagers() {
        beans.close();
    }

    @Test
    void theBodyRunsUnderTheLeaseWhichIsReleasedAfterwards() throws Exception {
        String result = advised().call(() -> {
            assertThat(beans.isFree("plain")).isFalse();
            return "result";
        });

        assertThat(result).isEqualTo("result");
        assertThat(beans.isFree("plain")).isTrue();
    }

    @Test
    void whileAnotherHoldsTheLeaseTheCallThrowsAndNamesTheHolder() {
        try (Lease held = other.tryAcquire("plain").orElseThrow()) {
            assertThatExceptionOfType(LeaseUnavailableException.class)
                    .isThrownBy(() -> advised().call(DistributedLeaseAspectTest::unreached))
                    .satisfies(e -> assertThat(e.holder()).map(LeaseInfo::owner).hasValue(held.owner()));
        }
    }

    @Test
    void whileAnotherHoldsTheLeaseASkippedCallReturnsNoResult() {
        try (Lease held = other.tryAcquire("skipped").orElseThrow()) {
            assertThat(held.isValid()).isTrue();
            assertThat(advised().skipped(DistributedLeaseAspectTest::unreached)).isNull();
            assertThat(advised().skippedOptional(DistributedLeaseAspectTest::unreached))
                    .isEmpty();
        }
    }

    @Test
    void whileAnotherHoldsTheLeaseAScheduledMethodIsSkipped() {
        try (Lease held = other.tryAcquire("scheduled").orElseThrow()) {
            assertThat(held.isValid()).isTrue();
            Jobs jobs = new Jobs();
            advised(jobs).scheduled();
            assertThat(jobs.scheduledRuns).isZero();
        }
    }

    @Test
    void theBodysExceptionIsThrownAsItIsAndTheLeaseReleased() {
        Exception own = new Exception("own");

        assertThatThrownBy(() -> advised().call(() -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(beans.isFree("plain")).isTrue();
    }

    @Test
    void anInterruptOfTheBodyIsItsOwnAndNoSkip() {
        InterruptedException own = new InterruptedException();

        assertThatThrownBy(() -> advised().call(() -> {
                    throw own;
                }))
                .isSameAs(own);
    }

    @Test
    void theKeyIsMadeOnceBeforeTheCall() {
        List<String> names = new ArrayList<>(List.of("a"));

        advised().byArgument(names);

        assertThat(beans.isFree("names-a")).isTrue();
    }

    @Test
    void theLeaseIsHeldUntilTheStageCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();

        CompletableFuture<String> result = advised().async(work);

        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> !beans.own.held().isEmpty());
        assertThat(beans.isFree("async")).isFalse();
        work.complete("done");
        assertThat(result).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("done");
        beans.awaitFree("async");
    }

    @Test
    void aStoreFailureOfTheBodyIsNoSkip() {
        LeaseStoreException ofTheBody = new LeaseStoreException("nested", null);

        assertThatThrownBy(() -> advised().skippedOnStoreFailure(() -> {
                    throw ofTheBody;
                }))
                .isSameAs(ofTheBody);
    }

    @Test
    void theNamedManagerIsUsed() {
        LeaseManager elsewhere = LeasedBeans.manager(new InMemoryLeaseStore(), "elsewhere");
        beanFactory.registerSingleton("elsewhere", elsewhere);

        advised().elsewhere(() -> {
            assertThat(beans.isFree("elsewhere")).isTrue();
            assertThat(LeasedBeans.isFree(elsewhere, "elsewhere")).isFalse();
            return null;
        });
    }

    @Test
    void severalManagersAndNoneNamedIsAnErrorAtStartUp() {
        beanFactory.registerSingleton("elsewhere", LeasedBeans.manager(new InMemoryLeaseStore(), "elsewhere"));
        advised();

        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(beans.advisor::prepare)
                .withMessageEndingWith(": there are several LeaseManager beans: 'leaseManager', 'elsewhere'")
                .satisfies(
                        e -> assertThat(e.fix()).isEqualTo("Make one of them @Primary, or name one with 'manager'."));
    }

    @Test
    void withoutAnAnnotatedMethodNoManagerIsAskedFor() {
        new DistributedLeaseAdvisor(
                        new DefaultListableBeanFactory(), new StandIns(), () -> new DistributedLeaseSettings("", false))
                .prepare();
    }

    private Jobs advised() {
        return advised(new Jobs());
    }

    private Jobs advised(Jobs jobs) {
        return beans.advise(jobs);
    }

    private static String unreached() {
        throw new AssertionError("The body ran");
    }

    static class Jobs {

        int scheduledRuns;

        @DistributedLease("plain")
        public String call(Callable<String> body) throws Exception {
            return body.call();
        }

        @DistributedLease(key = "skipped", onUnavailable = OnUnavailable.SKIP)
        public String skipped(Supplier<String> body) {
            return body.get();
        }

        @DistributedLease(key = "skipped", onUnavailable = OnUnavailable.SKIP)
        public Optional<String> skippedOptional(Supplier<String> body) {
            return Optional.of(body.get());
        }

        @DistributedLease(key = "skipped-on-failure", onStoreFailure = OnStoreFailure.SKIP)
        public String skippedOnStoreFailure(Supplier<String> body) {
            return body.get();
        }

        @DistributedLease("scheduled")
        @Scheduled(fixedDelay = 1000)
        public void scheduled() {
            scheduledRuns++;
        }

        @DistributedLease("names-#{#names[0]}")
        public void byArgument(List<String> names) {
            names.clear();
        }

        @DistributedLease("async")
        public CompletableFuture<String> async(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLease(key = "elsewhere", manager = "elsewhere")
        public String elsewhere(Supplier<String> body) {
            return body.get();
        }
    }
}
