package io.leasekit.spring.integration;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesExtension;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.util.ReflectionUtils;

@Timeout(600)
@ExtendWith(TestLeasesExtension.class)
class LeaderEventsTest {

    private final Semaphore mayReturn = new Semaphore(0);
    private final Journal journal = new Journal();
    private final LeaderEvents events = new LeaderEvents(journal, "shop/");
    private final LeaseRequest request = LeaseRequest.of("shop/ingest");
    private TestLeases leases;

    @BeforeEach
    void begin(TestLeases given) {
        leases = given;
    }

    @AfterEach
    void returnAtTheLatest() {
        mayReturn.release(100);
    }

    private LeaderElection elect() {
        ElectionSettings settings = ElectionSettings.defaults().backoff(ofMinutes(5));
        return events.elect(leases.manager(), request, settings, this::stubborn);
    }

    /** Works until the test lets it return, whatever it is told. */
    private void stubborn(Lease lease) {
        journal.add("works");
        boolean interrupted = false;
        boolean returning = false;
        while (!returning) {
            try {
                mayReturn.acquire();
                returning = true;
            } catch (InterruptedException e) {
                interrupted = true;
                journal.add("told to stop");
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the end of the work in real time, as its thread runs in real time. */
    private static void leave(LeaderElection election) {
        election.closeAsync()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.MINUTES)
                .join();
    }

    @Test
    void theWorkOfALeaderIsBetweenItsGrantAndItsRevocation() {
        LeaderElection election = elect();

        assertThat(journal.next()).isEqualTo("granted ingest");
        Context context = journal.context();
        assertThat(journal.next()).isEqualTo("works");
        assertThat(context.isLeader()).isTrue();
        assertThat(context.getRole()).isEqualTo("ingest");

        election.resign();
        assertThat(journal.next()).isEqualTo("told to stop");
        assertThat(context.isLeader()).isFalse();
        assertThat(journal.isEmpty()).as("no revocation while it works").isTrue();

        mayReturn.release();
        assertThat(journal.next()).isEqualTo("revoked ingest");
        assertThat(journal.context()).isSameAs(context);
    }

    @Test
    void theLeaseIsReleasedAfterTheRevocationWasTold() {
        Semaphore mayAnswer = new Semaphore(0);
        Journal listeners = new Journal() {
            @Override
            public void publishOnRevoked(Object source, Context of, String role) {
                super.publishOnRevoked(source, of, role);
                mayAnswer.acquireUninterruptibly();
                add("answered, interrupted: " + Thread.currentThread().isInterrupted());
            }
        };
        LeaderElection election = new LeaderEvents(listeners).elect(leases.manager(), request, this::stubborn);
        assertThat(listeners.next()).isEqualTo("granted shop/ingest");
        assertThat(journal.next()).isEqualTo("works");
        election.resign();
        mayReturn.release();
        assertThat(listeners.next()).isEqualTo("revoked shop/ingest");

        assertThat(leases).holds("shop/ingest");
        mayAnswer.release();

        assertThat(listeners.next()).as("the interrupt was for the work").isEqualTo("answered, interrupted: false");
        leave(election);
        assertThat(leases).isFree("shop/ingest");
    }

    @Test
    void aLossRevokesWhileTheWorkRuns() {
        LeaderElection election = elect();
        assertThat(journal.next()).isEqualTo("granted ingest");
        assertThat(journal.next()).isEqualTo("works");

        leases.lose("shop/ingest", LeaseLossReason.TAKEN);

        assertThat(journal.next() + ", " + journal.next())
                .isIn("revoked ingest, told to stop", "told to stop, revoked ingest");
        mayReturn.release();
        leave(election);
        assertThat(journal.isEmpty()).as("told once a term").isTrue();
    }

    @Test
    void theContextYields() {
        LeaderElection election = elect();
        assertThat(journal.next()).isEqualTo("granted ingest");
        assertThat(journal.next()).isEqualTo("works");

        journal.context().yield();

        assertThat(journal.next()).isEqualTo("told to stop");
        assertThat(election.isLeader()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, NoClassDefFoundError.class})
    void aListenerThatFailsChangesNothing(Class<? extends Throwable> failure) {
        LeaderEventPublisher failing = new Journal() {
            @Override
            public void publishOnGranted(Object source, Context of, String role) {
                ReflectionUtils.rethrowRuntimeException(BeanUtils.instantiateClass(failure));
            }
        };

        LeaderElection election = new LeaderEvents(failing).elect(leases.manager(), request, this::stubborn);

        assertThat(journal.next()).isEqualTo("works");
        assertThat(election.isLeader()).isTrue();
    }
}
