package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseStoreException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Mono;

/** Calls of methods of each kind while the store fails. */
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(classes = StoreFailuresTest.Jobs.class)
@AutoConfigureTestLeases
class StoreFailuresTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    @Autowired
    private TestLeases leases;

    @Autowired
    private Jobs jobs;

    @BeforeEach
    void failFromNowOn() {
        leases.storeFails();
    }

    @Test
    void aFailureOfTheStoreIsThrownAndIsNotContention() {
        assertThatExceptionOfType(LeaseStoreException.class)
                .isThrownBy(() -> jobs.skipped(StoreFailuresTest::unreached))
                .withMessageContaining("The test has made the store fail");
        assertThat(leases.calls()).failed("skipped").neverRan("skipped");
    }

    @Test
    void aFailureOfTheStoreIsSkippedWithAWarningWhereAskedFor(CapturedOutput output) {
        assertThat(jobs.skippedOnStoreFailure(StoreFailuresTest::unreached)).isNull();

        assertThat(output)
                .contains("WARN")
                .contains("Call of '" + Jobs.class.getName()
                        + ".skippedOnStoreFailure' skipped, its lease could not be acquired: ");
    }

    @Test
    void twoJobsAndAMinuteOfOutageAreAHandfulOfLines(CapturedOutput output) {
        int start = output.getOut().length();
        long skipped = 0;
        Instant end = leases.now().plusSeconds(60);
        while (leases.now().isBefore(end)) {
            jobs.skippedOnStoreFailure(StoreFailuresTest::unreached);
            jobs.otherSkippedOnStoreFailure(StoreFailuresTest::unreached);
            skipped += 2;
            leases.advance(Duration.ofSeconds(1));
        }
        leases.storeRecovers();
        assertThat(jobs.skippedOnStoreFailure(() -> "runs")).isEqualTo("runs");

        List<String> lines = output.getOut()
                .substring(start)
                .lines()
                .map(String::strip)
                .filter(line -> line.contains(" WARN ") || line.contains(" INFO ") || line.contains(" ERROR "))
                .toList();
        assertThat(lines).hasSizeLessThanOrEqualTo(5);
        assertThat(lines).filteredOn(line -> line.contains(" have failed for ")).hasSize(1);
        assertThat(lines)
                .last()
                .asString()
                .contains("succeed again after")
                .contains("Calls without their lease meanwhile: " + skipped + " (");
    }

    @Test
    void aFailingStoreFailsOrSkipsTheCall() {
        CompletableFuture<String> refused = jobs.async();
        CompletableFuture<String> skipped = jobs.asyncIfStoreFails();
        leases.advance(Duration.ofSeconds(10));

        assertThat(refused).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LeaseStoreException.class);
        assertThat(skipped).succeedsWithin(SOON).isNull();
    }

    @Test
    void aFailingStoreFailsOrSkipsTheSubscription() {
        Mono<String> refused = jobs.mono().cache();
        Mono<String> skipped = jobs.monoIfStoreFails().cache();
        refused.subscribe(value -> {}, failure -> {});
        skipped.subscribe();
        leases.advance(Duration.ofSeconds(10));

        assertThatThrownBy(() -> refused.block(SOON)).isInstanceOf(LeaseStoreException.class);
        assertThat(skipped.blockOptional(SOON)).isEmpty();
    }

    private static String unreached() {
        throw new AssertionError("The body ran");
    }

    static class Jobs {

        @DistributedLease(key = "skipped", onUnavailable = OnUnavailable.SKIP)
        public String skipped(Supplier<String> body) {
            return body.get();
        }

        @DistributedLease(key = "skipped-on-failure", onStoreFailure = OnStoreFailure.SKIP)
        public String skippedOnStoreFailure(Supplier<String> body) {
            return body.get();
        }

        @DistributedLease(key = "other-skipped-on-failure", onStoreFailure = OnStoreFailure.SKIP)
        public String otherSkippedOnStoreFailure(Supplier<String> body) {
            return body.get();
        }

        @DistributedLease("async")
        public CompletableFuture<String> async() {
            return CompletableFuture.completedFuture(unreached());
        }

        @DistributedLease(key = "store", onStoreFailure = OnStoreFailure.SKIP)
        public CompletableFuture<String> asyncIfStoreFails() {
            return CompletableFuture.completedFuture(unreached());
        }

        @DistributedLease("mono")
        public Mono<String> mono() {
            return Mono.just(unreached());
        }

        @DistributedLease(key = "store", onStoreFailure = OnStoreFailure.SKIP)
        public Mono<String> monoIfStoreFails() {
            return Mono.just(unreached());
        }
    }
}
