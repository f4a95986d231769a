package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Items that somebody else removes, creates again or restores. The protocol assumes that nobody does. Such a change can
 * let two believe until the next renewal, and that renewal detects it.
 */
class RemovedItemTest {

    private static final Duration HEARTBEAT = Bench.TTL.dividedBy(3);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node there = bench.start("there");
    private final Lease lease = here.acquire("key");
    private final List<LeaseLossReason> lost = new ArrayList<>();

    RemovedItemTest() {
        lease.lost().thenAccept(lost::add);
    }

    @Test
    void aRemovedItemIsNoticedByTheNextRenewal() {
        bench.table.remove("key");
        assertThat(lease.isValid()).isTrue();

        bench.advance(HEARTBEAT);

        assertThat(lost).containsExactly(LeaseLossReason.REVOKED);
        assertThat(bench.table.item("key")).as("a renewal creates no item").isEmpty();
    }

    @Test
    void anItemCreatedAgainByAnotherOwnerIsNoticedByTheNextRenewal() {
        bench.table.remove("key");
        Lease another = there.acquire("key");
        assertThat(lease.isValid()).as("two believe until then").isTrue();
        assertThat(another.fencingToken()).as("does not grow").isEqualTo(lease.fencingToken());

        bench.advance(HEARTBEAT);

        assertThat(lost).containsExactly(LeaseLossReason.TAKEN);
        assertThat(another.isValid()).isTrue();
    }

    @Test
    void aRestoredItemOfAnEarlierOwnerIsNoticedByTheNextRenewal() {
        lease.close();
        Lease earlier = there.acquire("key");
        LeaseItem backup = bench.item("key");
        earlier.close();
        Lease later = here.acquire("key");
        later.lost().thenAccept(lost::add);

        bench.table.put(backup);
        bench.advance(HEARTBEAT);

        assertThat(lost).containsExactly(LeaseLossReason.TAKEN);
    }

    @Test
    void aRestoredItemOfTheSameTenureIsRenewed() {
        LeaseItem backup = bench.item("key");
        bench.advance(Bench.TTL);

        bench.table.put(backup);
        bench.advance(HEARTBEAT);

        bench.assertHeldFor(Bench.TTL, lease);
    }
}
