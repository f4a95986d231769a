package io.leasekit.spring.integration;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.test.LeaseNode;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesExtension;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's leader initiator on locks of leases: two nodes, one of which leads. */
@Timeout(600)
@ExtendWith(TestLeasesExtension.class)
class LockRegistryLeaderTest {

    private final Journal here = new Journal();
    private final Journal there = new Journal();
    private final List<LockRegistryLeaderInitiator> started = new ArrayList<>();
    private TestLeases leases;
    private LeaseNode other;

    @BeforeEach
    void begin(TestLeases given) {
        leases = given;
        other = leases.node("other");
    }

    @AfterEach
    void stop() {
        started.forEach(LockRegistryLeaderInitiator::stop);
    }

    private LockRegistryLeaderInitiator start(LeaseManager manager, Journal journal) {
        LockRegistryLeaderInitiator initiator = initiator(manager, journal);
        initiator.start();
        return initiator;
    }

    private LockRegistryLeaderInitiator initiator(LeaseManager manager, Journal journal) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(new LeaseLockRegistry(manager), new DefaultCandidate("node", "ingest"));
        initiator.setHeartBeatMillis(20); // of real time while it leads, of virtual time while it waits
        initiator.setBusyWaitMillis(1);
        initiator.setLeaderEventPublisher(journal);
        started.add(initiator);
        return initiator;
    }

    @Test
    void aNodeLeadsFromItsStartToItsStop() {
        LockRegistryLeaderInitiator initiator = initiator(leases.manager(), here);
        assertThat(initiator.getContext().isLeader()).isFalse();

        initiator.start();
        assertThat(here.next()).isEqualTo("granted ingest");
        assertThat(initiator.getContext().isLeader()).isTrue();
        assertThat(leases).isHeldBy("ingest", TestLeases.OWN);
        leases.advance(ofMinutes(10));
        assertThat(initiator.getContext().isLeader()).isTrue();

        initiator.stop();
        assertThat(here.next()).isEqualTo("revoked ingest");
        assertThat(initiator.getContext().isLeader()).isFalse();
        assertThat(leases).released("ingest").isFree("ingest");
    }

    @Test
    void theOtherNodeLeadsAfterAStop() {
        LockRegistryLeaderInitiator first = start(leases.manager(), here);
        assertThat(here.next()).isEqualTo("granted ingest");
        LockRegistryLeaderInitiator second = start(other.manager(), there);

        first.stop();

        assertThat(there.next()).isEqualTo("granted ingest");
        assertThat(here.next()).isEqualTo("revoked ingest");
        assertThat(second.getContext().isLeader()).isTrue();
    }

    @Test
    void theOtherNodeLeadsAfterACrash() {
        start(other.manager(), there);
        assertThat(there.next()).isEqualTo("granted ingest");
        start(leases.manager(), here);

        other.crash();
        leases.advance(ofMinutes(2));

        assertThat(here.next()).as("after the ttl").isEqualTo("granted ingest");
        assertThat(leases).isHeldBy("ingest", TestLeases.OWN);
    }

    @Test
    void aLossRevokes() {
        start(leases.manager(), here);
        assertThat(here.next()).isEqualTo("granted ingest");
        Context context = started.get(0).getContext();

        leases.lose("ingest", LeaseLossReason.TAKEN);

        assertThat(here.next()).isEqualTo("revoked ingest");
        leases.advance(ofMinutes(2));
        assertThat(here.next()).as("when the thief has gone").isEqualTo("granted ingest");
        assertThat(context.isLeader()).isTrue();
    }

    @Test
    void aLeaderThatYieldsUnlocks() {
        LockRegistryLeaderInitiator initiator = start(leases.manager(), here);
        assertThat(here.next()).isEqualTo("granted ingest");

        initiator.getContext().yield();

        assertThat(here.next()).isEqualTo("revoked ingest");
        assertThat(here.next()).as("nobody else wants it").isEqualTo("granted ingest");
    }

    @Test
    void aNodeThatIsRefusedSaysSo() {
        start(leases.manager(), here);
        assertThat(here.next()).isEqualTo("granted ingest");
        LockRegistryLeaderInitiator second = initiator(other.manager(), there);
        second.setPublishFailedEvents(true);

        second.start();

        assertThat(there.next()).isEqualTo("refused ingest");
        assertThat(second.getContext().isLeader()).isFalse();
    }

    @Test
    void aFailingStoreEndsNoCampaign() {
        leases.storeFails();
        start(leases.manager(), here);
        leases.advance(ofMinutes(1));
        assertThat(here.isEmpty()).isTrue();

        leases.storeRecovers();

        assertThat(here.next()).isEqualTo("granted ingest");
    }
}
