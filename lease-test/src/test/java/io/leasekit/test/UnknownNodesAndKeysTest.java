package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Slips of the pen: a name of a node or a key that the test uses nowhere else. */
@Timeout(600)
class UnknownNodesAndKeysTest {

    private final TestLeases leases = TestLeases.create();

    @TestFactory
    Stream<DynamicTest> aNodeThatHasAcquiredNothingCanDoNothingElse() {
        Map<String, Consumer<LeaseNode>> actions = Map.of(
                "release a lease", node -> node.release("report"),
                "crash", LeaseNode::crash,
                "pause", LeaseNode::pause,
                "come back", LeaseNode::comeBack);
        leases.node("other").hold("report");
        leases.node("third").ran("nightly", "2027-01-16");
        return actions.entrySet().stream()
                .map(
                        action -> DynamicTest.dynamicTest(
                                action.getKey(),
                                () -> assertThatIllegalStateException()
                                        .isThrownBy(() -> action.getValue().accept(leases.node("othr")))
                                        .withMessage(
                                                "Node 'othr' cannot " + action.getKey()
                                                        + ", because it has acquired nothing in this test; nodes that have: 'other', 'third'")));
    }

    @Test
    void withoutNodesTheErrorSaysSo() {
        assertThatIllegalStateException()
                .isThrownBy(() -> leases.node("othr").crash())
                .withMessageEndingWith("nodes that have: none");
    }

    @Test
    void aNodeThatHasAskedInVainIsKnown() {
        leases.node("other").hold("report");
        LeaseNode asking = leases.node("asking");
        assertThatIllegalStateException().isThrownBy(() -> asking.hold("report"));

        asking.crash();
        asking.comeBack();

        assertThat(leases.node("asking").manager().tryAcquire("free")).isPresent();
    }

    @Test
    void aCrashedNodeIsNotPaused() {
        LeaseNode other = leases.node("other");
        other.hold("report");
        other.crash();

        assertThatIllegalStateException().isThrownBy(other::pause).withMessageContaining("call comeBack()");
        other.comeBack();

        assertThatIllegalStateException()
                .isThrownBy(() -> other.release("report"))
                .withMessage("Node 'other' does not hold 'report', it holds []");
    }

    @Test
    void aThreadOfACrashedNodeReachesTheTableNoMore() {
        LeaseNode other = leases.node("other");
        Lease lease = other.hold("report");
        LeaseManager dead = other.manager();
        other.crash();
        leases.advance(Duration.ofMinutes(2));
        lease.close(); // as a loop does that has noticed the loss and tries again

        for (String key : List.of("report", "free")) {
            assertThatThrownBy(() -> dead.tryAcquire(key))
                    .isInstanceOf(LeaseStoreException.class)
                    .hasMessageContaining("Node 'other' has crashed");
            assertThat(leases).isFree(key);
        }
        other.comeBack();
        assertThatThrownBy(() -> dead.tryAcquire("free")).as("its manager").isInstanceOf(LeaseStoreException.class);
        assertThat(other.manager().tryAcquire("free"))
                .as("that of the new process")
                .isPresent();
    }

    @Test
    void aNodeOfATestThatHasEndedIsRefused() {
        LeaseNode before = leases.node("other");
        before.hold("report");
        leases.begin();

        for (Consumer<LeaseNode> action : Stream.<Consumer<LeaseNode>>of(
                        LeaseNode::manager, node -> node.hold("report"), LeaseNode::crash, LeaseNode::comeBack)
                .toList()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> action.accept(before))
                    .withMessageStartingWith("Node 'other' belongs to a test that has ended");
        }
    }

    @Test
    void anUnknownKeyIsAnsweredWithTheKeysThatThereAre() {
        leases.node("other").hold("report");
        leases.manager().tryAcquire("nightly");
        leases.storeFails();

        assertThat(leases.story("reprot"))
                .endsWith("fails\n  nothing happened to it; keys of this test: [nightly, report]");
        assertThatIllegalStateException()
                .isThrownBy(() -> leases.lose("reprot", LeaseLossReason.TAKEN))
                .withMessageContaining("it holds [nightly]; the story of the lease is:")
                .withMessageContaining("keys of this test: [nightly, report]");
        assertThatIllegalStateException()
                .isThrownBy(() -> leases.node("other").release("reprot"))
                .withMessage("Node 'other' does not hold 'reprot', it holds [report]");
        assertThatThrownBy(() -> assertThat(leases).isHeldBy("report", "othr"))
                .hasMessageContaining("the holder 'othr', but it was 'other'")
                .hasMessageContaining("nodes: [other]");
    }

    @Test
    void theStoryOfATestWithoutEventsIsEmpty() {
        assertThat(leases.story("report")).isEqualTo("  nothing happened to it; keys of this test: []");
        assertThat(leases).hasToString("TestLeases at 2027-01-15T08:00:00Z:\n  nothing happened");
    }

    @Test
    void aMoveBackNamesBothTimes() {
        leases.advance(Duration.ofHours(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> leases.advance(Duration.ofSeconds(-1)))
                .withMessage("Time cannot move back, but duration is -1 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leases.advanceTo(leases.now().minusNanos(1)))
                .withMessage("Time cannot move back from 2027-01-15T09:00:00Z to 2027-01-15T08:59:59.999999999Z");
        leases.advanceTo(leases.now());
    }
}
