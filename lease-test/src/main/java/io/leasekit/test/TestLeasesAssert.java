package io.leasekit.test;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseStatus;
import io.leasekit.text.Text;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on the leases of a test. The message of a failed assertion contains the history of the key. In these
 * methods, "this process" means the process under test. Not thread-safe.
 */
public final class TestLeasesAssert extends AbstractAssert<TestLeasesAssert, TestLeases> {

    TestLeasesAssert(TestLeases actual) {
        super(actual, TestLeasesAssert.class);
    }

    /** Verifies that this process holds the lease of this key, and that the lease is valid. */
    public TestLeasesAssert holds(String key) {
        Optional<LeaseStatus> held = actual.processes().held(key);
        String but = held.isEmpty() ? "it does not hold it" : "its lease must be renewed first";
        return check(held.filter(LeaseStatus::valid).isPresent(), key, "that this process holds it, but " + but);
    }

    /** Verifies that this process does not hold the lease of this key. */
    public TestLeasesAssert doesNotHold(String key) {
        return check(actual.processes().held(key).isEmpty(), key, "that this process does not hold it");
    }

    /** Verifies that this process has released the lease of this key, and does not hold it now. */
    public TestLeasesAssert released(String key) {
        boolean released = !events(key, LeaseEvent.Released.class).isEmpty();
        return check(released && actual.processes().held(key).isEmpty(), key, "that this process has released it");
    }

    /** Verifies that this process has lost the lease of this key for this reason. */
    public TestLeasesAssert lost(String key, LeaseLossReason reason) {
        List<LeaseLossReason> reasons = events(key, LeaseEvent.Lost.class).stream()
                .map(LeaseEvent.Lost::reason)
                .toList();
        return check(reasons.contains(reason), key, "a loss by " + reason + ", but the losses were " + reasons);
    }

    /**
     * Verifies that the table shows the node with this name ({@link LeaseNode#name()}) as the holder of this key's
     * lease, or of one permit of this key.
     */
    public TestLeasesAssert isHeldBy(String key, String node) {
        List<String> holders = holders(key);
        return check(
                holders.contains(node), key, "the holder " + Text.quote(node) + ", but it was " + inWords(holders));
    }

    /**
     * Verifies that no owner holds the lease or a permit of this key, according to the table. The lease of a crashed
     * node becomes free when the lease expires.
     */
    public TestLeasesAssert isFree(String key) {
        List<String> holders = holders(key);
        return check(holders.isEmpty(), key, "that it is free, but its holder was " + inWords(holders));
    }

    /**
     * Verifies that the lease of this key was granted at least twice, each time with a larger fencing token than
     * before. Do not use this method for permits, because each permit of a key has its own sequence of tokens.
     */
    public TestLeasesAssert hasGrowingTokens(String key) {
        List<Long> tokens = actual.world().story.tokens(key);
        boolean grow = tokens.size() > 1;
        for (int i = 1; i < tokens.size(); i++) {
            grow &= tokens.get(i) > tokens.get(i - 1);
        }
        return check(grow, key, "at least two growing tokens, but they were " + tokens);
    }

    private List<String> holders(String key) {
        return actual.world().table.holders(key);
    }

    private static String inWords(List<String> holders) {
        return holders.isEmpty() ? Text.quote(null) : Text.quoteAll(holders);
    }

    private <E extends LeaseEvent> List<E> events(String key, Class<E> kind) {
        return actual.world().story.events(TestLeases.OWN, key, kind);
    }

    private TestLeasesAssert check(boolean holds, String key, String expected) {
        isNotNull();
        if (!holds) {
            throw failure(
                    "%nExpected for lease %s: %s%nKeys of this test: %s, nodes: %s%nIts story:%n%s",
                    Text.quote(key),
                    expected,
                    actual.world().story.keys(),
                    actual.world().nodes.keySet(),
                    actual.story(key));
        }
        return this;
    }
}
