package io.leasekit.docs;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.dynamodb.LeaseFencing;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.LeaseNode;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesExtension;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

interface Mailer {
    void send(String text);
}

class MailerAtWork implements Mailer {
    @Override
    public void send(String text) {}
}

class Reports {

    private final Mailer mailer;

    Reports(Mailer mailer) {
        this.mailer = mailer;
    }

    @DistributedLease("report")
    public void create() {
        mailer.send("report");
    }

    @DistributedLease(key = "export", waitFor = "30s")
    public void export() {
        mailer.send("export");
    }

    @Scheduled(cron = "0 0 8 * * *", zone = "UTC")
    @DistributedLease("nightly")
    void nightly() {
        mailer.send("nightly");
    }
}

@SpringBootConfiguration
@EnableAutoConfiguration
@EnableScheduling
class TestingApplication {

    @Bean
    Mailer mailer() {
        return new MailerAtWork();
    }

    @Bean
    Reports reports(Mailer mailer) {
        return new Reports(mailer);
    }
}

class Ingest {

    private final BlockingQueue<String> inbox;

    Ingest(BlockingQueue<String> inbox) {
        this.inbox = inbox;
    }

    @LeaderOnly("ingest")
    void run() throws InterruptedException {
        while (true) {
            inbox.take();
        }
    }
}

class Importer {

    private final LeaseManager leases;

    Importer(LeaseManager leases) {
        this.leases = leases;
    }

    boolean importFiles() {
        return leases.tryCall(LeaseRequest.of("import"), lease -> true).isPresent();
    }
}

class ReportWriter {

    String write() {
        LeaseContext lease = LeaseContext.current();
        return lease.key() + ", token " + lease.fencingToken();
    }
}

/** The Java examples of docs/testing.md, between a line {@code // <name>} and a line {@code // end}. */
final class TestingExamples {

    private TestingExamples() {}
}

@ActiveProfiles("aws") // as the sample's local database is not needed
// first
@SpringBootTest
@AutoConfigureTestLeases
class ReportsTest {

    @Autowired
    TestLeases leases;

    @Autowired
    Reports reports;

    @Test
    void isRefusedWhileAnotherNodeCreatesTheReport() {
        leases.node("other").hold("report");

        assertThatThrownBy(reports::create).isInstanceOf(LeaseUnavailableException.class);

        assertThat(leases.calls()).neverRan("report");
    }
}
// end

@ActiveProfiles("aws")
@SpringBootTest
@AutoConfigureTestLeases
class SituationsTest {

    @Autowired
    TestLeases leases;

    @Autowired
    Reports reports;

    @MockitoBean
    Mailer mailer;

    // skipped
    @Test
    void isSkippedWhileAnotherNodeRunsTheJob() {
        LeaseNode other = leases.node("other");
        other.hold("nightly");

        leases.fire(reports, "nightly");

        assertThat(leases.calls()).skipped("nightly").neverRan("nightly");
        assertThat(leases).isHeldBy("nightly", "other");
    }
    // end

    // crash
    @Test
    void takesOverAfterACrash() {
        LeaseNode other = leases.node("other");
        other.hold("report");
        other.crash();

        assertThatThrownBy(reports::create).isInstanceOf(LeaseUnavailableException.class);
        leases.advance(ofSeconds(70)); // the ttl and some seconds for the clocks
        reports.create();

        assertThat(leases).released("report").hasGrowingTokens("report");
    }
    // end

    // lost
    @Test
    void failsIfTheLeaseIsLostInTheMiddle() {
        doAnswer(sending -> {
                    leases.lose("report", LeaseLossReason.TAKEN);
                    return null;
                })
                .when(mailer)
                .send("report");

        assertThatThrownBy(reports::create).isInstanceOf(LeaseLostException.class);
    }
    // end

    // down
    @Test
    void failsWhileDynamoDbIsDownAndRecovers() {
        leases.storeFails(); // from the start of the application
        assertThatThrownBy(reports::create).isInstanceOf(LeaseStoreException.class);
        leases.storeRecovers();
        reports.create();

        leases.storeFails(); // and later
        assertThatThrownBy(reports::create).isInstanceOf(LeaseStoreException.class);

        assertThat(leases.calls()).failed("report").ranOnce("report");
    }
    // end

    // slot
    @Test
    void runsOnceForEachTimeOfItsCronExpression() {
        leases.fire(reports, "nightly");
        leases.fire(reports, "nightly"); // a second scheduler, or a node with another clock
        assertThat(leases.calls()).ranOnce("nightly");

        leases.node("other").ran("nightly", "2027-01-16T08:00:00Z");
        leases.advance(Duration.ofDays(1));
        leases.fire(reports, "nightly");

        assertThat(leases.calls()).ranOnce("nightly").skipped("nightly");
    }
    // end

    // wait
    @Test
    void waitsForAtMostHalfAMinute() {
        LeaseNode other = leases.node("other");
        other.hold("export");

        assertThatThrownBy(reports::export).isInstanceOf(LeaseUnavailableException.class);

        assertThat(leases.calls()).waitedFor("export", ofSeconds(30));
        other.release("export");
        reports.export();
    }
    // end
}

@ActiveProfiles("aws")
// leader
@SpringBootTest
@AutoConfigureTestLeases
@Import(Ingest.class)
class IngestTest {

    @Autowired
    TestLeases leases;

    @MockitoBean
    BlockingQueue<String> inbox;

    @BeforeEach
    void prepare() throws InterruptedException {
        when(inbox.take()).thenAnswer(call -> new LinkedBlockingQueue<String>().take()); // waits
    }

    @Test
    void leads() throws InterruptedException { // the election begins here
        assertThat(leases).holds("ingest");
        verify(inbox, timeout(60_000)).take();
    }
}
// end

// plain
@ExtendWith(TestLeasesExtension.class)
class ImporterTest {

    @Test
    void needsTheLease(TestLeases leases) {
        Importer importer = new Importer(leases.manager());
        leases.node("other").hold("import");

        assertThat(importer.importFiles()).isFalse();

        leases.node("other").release("import");
        assertThat(importer.importFiles()).isTrue();
    }
}
// end

class UnitTest {

    // with
    @Test
    void writesTheTokenOfItsLease() {
        TestLeases.withLease("report", () -> {
            assertThat(new ReportWriter().write()).contains("report, token 18000");
        });
    }
    // end
}

@ExtendWith(TestLeasesExtension.class)
class FencingTest {

    // fencing
    @Test
    void aStaleWriterWritesNothing(TestLeases leases) {
        ConditionCheck check = leases.manager().acquireAll("order-17").conditionCheck();
        leases.lose("order-17", LeaseLossReason.TAKEN);

        assertThatThrownBy(() -> leases.transact(TransactWriteItemsRequest.builder()
                        .transactItems(TransactWriteItem.builder()
                                .conditionCheck(check)
                                .build())
                        .build()))
                .isInstanceOfSatisfying(
                        TransactionCanceledException.class,
                        cancelled ->
                                assertThat(LeaseFencing.isStale(cancelled, 0)).isTrue());
    }
    // end

    // progress
    @Test
    void goesOnWhereTheDeadNodeStopped(TestLeases leases) {
        LeaseRequest run = LeaseRequest.of("import").resumable();
        LeaseNode other = leases.node("other");
        Progress<String> dead = other.hold(run).progress(ProgressCodec.text());
        leases.transact(transaction(dead.update("line 9000")));
        TransactWriteItem late = dead.update("line 9001");
        other.crash();
        leases.advance(ofSeconds(70));

        Progress<String> next = leases.manager().acquire(run).progress(ProgressCodec.text());

        assertThat(next.last()).contains("line 9000");
        assertThatThrownBy(() -> leases.transact(transaction(late))).isInstanceOf(TransactionCanceledException.class);
    }
    // end

    private static TransactWriteItemsRequest transaction(TransactWriteItem part) {
        return TransactWriteItemsRequest.builder().transactItems(part).build();
    }
}
