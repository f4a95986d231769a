package io.leasekit.test;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseLossReason;
import io.leasekit.spring.LeaderOnly;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestContextManager;

@Timeout(600)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLeases
class LeadersOfATestTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    @Autowired
    private TestLeases leases;

    @Autowired
    private Ingest ingest;

    /** What a test prepares for its leader, such as the answers of a mock. */
    @BeforeEach
    void prepare() {
        assertThat(leases).doesNotHold("ingest");
        ingest.prepared().set(true);
    }

    @Test
    void theLeaderBeginsWithTheFirstStatementOfTheTest() {
        assertThat(leases).holds("ingest");
        assertThat(ingest.begunUnprepared()).isFalse();
    }

    @RepeatedTest(2)
    void theLeaderLeadsInEachTestOfAClass() throws InterruptedException {
        assertThat(leases).holds("ingest");
        ingest.inbox().put("order");

        assertThat(ingest.stored().poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("order");
    }

    @Test
    void aLeaderThatHasLostItsLeaseLeadsAgain() {
        leases.lose("ingest", LeaseLossReason.TAKEN);
        assertThat(leases).doesNotHold("ingest");

        // its method returns in real time, and campaigns again after a pause of virtual time
        for (long begun = System.nanoTime(); isFollower() && System.nanoTime() - begun < SOON.toNanos(); ) {
            leases.advance(ofSeconds(1));
        }

        assertThat(leases).holds("ingest");
    }

    private boolean isFollower() {
        return leases.manager().held().isEmpty();
    }

    @Test
    void aContextWithALeaderClosesAtOnceWhateverItsLastTestDid() throws Exception {
        closeAfter("succeeds");
        closeAfter("makesTheStoreFail");
        closeAfter("makesTheStoreSlow");
    }

    /** Spring would wait for an hour for a leader that does not end, much longer than a test may take. */
    private static void closeAfter(String lastTest) throws Exception {
        TestContextManager framework = new TestContextManager(LastTests.class);
        LastTests instance = new LastTests();
        Method method = LastTests.class.getDeclaredMethod(lastTest);
        framework.prepareTestInstance(instance);
        framework.beforeTestMethod(instance, method);
        framework.beforeTestExecution(instance, method);
        method.invoke(instance);
        framework.afterTestMethod(instance, method, null);

        framework.getTestContext().markApplicationContextDirty(null); // closes it
    }

    @SpringBootTest(
            classes = Application.class,
            properties = {"its.own=context", "spring.lifecycle.timeout-per-shutdown-phase=1h"},
            webEnvironment = SpringBootTest.WebEnvironment.NONE)
    @AutoConfigureTestLeases
    static class LastTests {

        @Autowired
        private TestLeases leases;

        void succeeds() {
            assertThat(leases).holds("ingest");
        }

        void makesTheStoreFail() {
            leases.storeFails();
        }

        void makesTheStoreSlow() {
            leases.latency(ofMillis(70));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Ingest ingest() {
            return new Ingest();
        }
    }

    static class Ingest {

        private final BlockingQueue<String> inbox = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> stored = new LinkedBlockingQueue<>();
        private final AtomicBoolean prepared = new AtomicBoolean();
        private final AtomicBoolean begunUnprepared = new AtomicBoolean();

        // not the fields: those of the proxy are empty
        BlockingQueue<String> inbox() {
            return inbox;
        }

        BlockingQueue<String> stored() {
            return stored;
        }

        AtomicBoolean prepared() {
            return prepared;
        }

        AtomicBoolean begunUnprepared() {
            return begunUnprepared;
        }

        @LeaderOnly("ingest")
        public void run() throws InterruptedException {
            if (!prepared.get()) {
                begunUnprepared.set(true);
            }
            while (true) {
                stored.put(inbox.take());
            }
        }
    }
}
