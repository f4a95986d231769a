package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** Firings with a slot at whose time the store fails. Each test begins at 08:00. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(classes = PendingFiringsTest.Jobs.class)
@AutoConfigureTestLeases
class PendingFiringsTest {

    private static final String EIGHT = "2027-01-15T08:00:00Z";
    private static final String NINE = "2027-01-15T09:00:00Z";

    private static final List<String> RAN = new CopyOnWriteArrayList<>(); // slots

    @Autowired
    private TestLeases leases;

    @Autowired
    private Jobs jobs;

    @Autowired
    private DistributedLeaseAdvisor advisor;

    @BeforeEach
    void nothingHasRun() {
        RAN.clear();
    }

    /** Begins an outage. A process that has sent a request knows DynamoDB's time, and can name the slot. */
    private void storeFails(boolean timeIsKnown) {
        if (timeIsKnown) {
            jobs.plain();
            RAN.clear();
        }
        leases.storeFails();
    }

    /** Moves the time in small steps, because stages and publishers go on on threads of their own. */
    private void advanceUntil(BooleanSupplier condition) {
        Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> {
            leases.advance(Duration.ofMillis(500));
            return condition.getAsBoolean();
        });
    }

    @ParameterizedTest
    @CsvSource({"hourly, true", "hourly, false", "stage, true", "stage, false", "mono, true", "retried, false"})
    void anOutageAtTheTimeOfASlotLosesNoRun(String job, boolean timeIsKnown, CapturedOutput output) {
        storeFails(timeIsKnown);
        CompletableFuture<Void> firing = CompletableFuture.runAsync(() -> leases.fire(jobs, job));
        advanceUntil(firing::isDone);
        leases.advance(Duration.ofSeconds(30));
        assertThat(firing).isCompleted();
        assertThat(RAN).isEmpty();
        leases.storeRecovers();

        advanceUntil(() -> !RAN.isEmpty());

        assertThat(RAN).containsExactly(EIGHT);
        assertThat(output)
                .containsPattern("INFO .*Run '" + EIGHT + "' of '.*Jobs." + job
                        + "' begins .* late, because table 'leases' of the test did not answer");
        assertThat(output).doesNotContain("Scheduled call of", "ERROR");
        CompletableFuture<Void> again = CompletableFuture.runAsync(() -> leases.fire(jobs, job));
        advanceUntil(again::isDone);
        assertThat(RAN).as("it is done").containsExactly(EIGHT);
    }

    /** What fails first is the read of DynamoDB's time, by which the slot is named. */
    @Test
    void aFiringThatWaitsForItsLeaseWaitsForTheTimeToo() {
        storeFails(false);
        CompletableFuture<Void> firing = CompletableFuture.runAsync(() -> leases.fire(jobs, "patient"));
        advanceUntil(() -> leases.now().isAfter(Instant.parse("2027-01-15T08:01:00Z")));
        assertThat(firing).isNotDone();
        leases.storeRecovers();

        advanceUntil(firing::isDone);

        assertThat(firing).isCompleted();
        assertThat(RAN).containsExactly(EIGHT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunThatAnotherNodeDoesMeanwhileDoesNotBegin(boolean timeIsKnown) {
        storeFails(timeIsKnown);
        leases.fire(jobs, "hourly");
        leases.storeRecovers();
        leases.node("other").ran("hourly", EIGHT);

        leases.advance(Duration.ofSeconds(30));

        assertThat(RAN).isEmpty();
    }

    @Test
    void aRunThatAnotherNodeHasBegunBeginsHereIfThatNodeDies() {
        storeFails(true);
        leases.fire(jobs, "hourly");
        leases.storeRecovers();
        leases.node("other").hold(LeaseRequest.of("hourly").once(EIGHT, OnceOrder.GROWING));
        leases.advance(Duration.ofSeconds(30));
        assertThat(RAN).isEmpty();

        leases.node("other").crash();
        leases.advance(Duration.ofSeconds(75));

        assertThat(RAN).containsExactly(EIGHT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNextSlotReplacesIt(boolean timeIsKnown, CapturedOutput output) {
        storeFails(timeIsKnown);
        leases.fire(jobs, "hourly");
        leases.advance(Duration.ofHours(1));
        leases.fire(jobs, "hourly");
        leases.storeRecovers();

        leases.advance(Duration.ofSeconds(30));

        assertThat(RAN).containsExactly(NINE);
        assertThat(output).containsPattern("INFO .*Run '" + NINE + "' of");
    }

    @Test
    void itDoesNotBeginAfterTheNextSlot() {
        storeFails(true);
        leases.fire(jobs, "hourly");
        leases.advance(Duration.ofHours(1)); // the scheduler has no thread for the next firing
        leases.storeRecovers();
        leases.advance(Duration.ofSeconds(30));
        assertThat(RAN).isEmpty();

        leases.fire(jobs, "hourly");

        assertThat(RAN).containsExactly(NINE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itDoesNotBeginDuringAShutdown(boolean timeIsKnown) {
        storeFails(timeIsKnown);
        leases.fire(jobs, "hourly");
        advisor.stopWaiting();
        leases.storeRecovers();

        leases.advance(Duration.ofSeconds(30));

        assertThat(RAN).isEmpty();
        leases.node("other").ran("hourly", EIGHT);
    }

    /** It is part of the lines of the outage: it waits, and if it has waited in vain, it is among the calls without lease. */
    @Test
    void anOutageOverSlotsIsTheLinesOfTheOutage(CapturedOutput output) {
        storeFails(true);
        leases.fire(jobs, "hourly");
        leases.fire(jobs, "retried");
        leases.advance(Duration.ofSeconds(10));
        leases.advance(Duration.ofHours(1));
        leases.fire(jobs, "hourly");
        leases.storeRecovers();
        leases.advance(Duration.ofSeconds(30));

        assertThat(output.getOut().lines().filter(line -> line.contains("succeed again after")))
                .singleElement()
                .asString()
                .contains("Calls without their lease meanwhile: 1 ('hourly' 1)");
    }

    @Test
    void whatTheAnnotationSaysExplicitlyApplies() {
        leases.storeFails();

        assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> leases.fire(jobs, "thrown"));
        leases.fire(jobs, "skipped");
        assertThatExceptionOfType(LeaseStoreException.class)
                .as("of a call that is no firing")
                .isThrownBy(jobs::hourly);
        assertThatExceptionOfType(LeaseStoreException.class)
                .as("without a slot")
                .isThrownBy(() -> leases.fire(jobs, "often"));
        leases.storeRecovers();
        leases.advance(Duration.ofSeconds(30));

        assertThat(RAN).isEmpty();
    }

    static class Jobs {

        private void run() {
            RAN.add(LeaseContext.current().runName().orElse("none"));
        }

        @DistributedLease("plain")
        public void plain() {}

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("hourly")
        public void hourly() {
            run();
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "retried", onFailure = OnFailure.RETRY)
        public void retried() {
            run();
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("stage")
        public CompletableFuture<Void> stage() {
            run();
            return CompletableFuture.completedFuture(null);
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease("mono")
        public Mono<Void> mono() {
            return ReactiveLeaseContext.current()
                    .doOnNext(context -> RAN.add(context.runName().orElse("none")))
                    .then();
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "thrown", onStoreFailure = OnStoreFailure.THROW)
        public void thrown() {
            run();
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "patient", waitFor = "10m", onStoreFailure = OnStoreFailure.THROW)
        public void patient() {
            run();
        }

        @Scheduled(cron = "@hourly", zone = "UTC")
        @DistributedLease(key = "skipped", onStoreFailure = OnStoreFailure.SKIP)
        public void skipped() {
            run();
        }

        @Scheduled(fixedRate = 1_000)
        @DistributedLease("often")
        public void often() {
            run();
        }
    }
}
