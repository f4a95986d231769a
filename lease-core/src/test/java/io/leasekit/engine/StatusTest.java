package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.broken;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The status of a manager, which it derives from its traffic. */
class StatusTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private LeaseManagerStatus status() {
        return here.leases.status();
    }

    @Test
    void beforeAnyTrafficNothingIsKnown() {
        assertThat(status())
                .isEqualTo(new LeaseManagerStatus(
                        "here", Bench.TTL, 0, 0, 0, 0, null, null, null, null, null, true, null, null));
        assertThat(here.store.verbs()).as("no request is sent").isEmpty();
    }

    @Test
    void heldLeasesAreCounted() {
        Lease lease = here.acquire("one");
        here.acquire("two");
        assertThat(status().held()).isEqualTo(2);

        lease.close();
        assertThat(status().held()).isOne();
    }

    /** The step that releases may still run, on another thread than that of the caller. */
    @Test
    void aLeaseWhoseReleaseIsDoneCountsNoMore() {
        List<Bench.Node> nodes = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        List<Integer> held = new ArrayList<>();
        Bench.Node node = bench.start(
                "listening",
                builder -> builder.listener(event -> {
                    if (event instanceof LeaseEvent.AtRisk) { // runs within a step of the lease
                        leases.get(0)
                                .releaseAsync()
                                .thenRun(() -> nodes.forEach(one -> held.addAll(List.of(
                                        one.leases.status().held(),
                                        one.leases.held().size()))));
                    }
                }));
        nodes.add(node);
        leases.add(node.acquire("key"));
        node.store.always(RENEW, LOST);

        bench.advance(Bench.TTL.minusSeconds(1));

        assertThat(held).containsExactly(0, 0);
    }

    @Test
    void aRefusalIsNoFailure() {
        bench.start("there").acquire("key");
        assertThat(here.tryAcquire("key")).isEmpty();
        bench.advance(Duration.ofSeconds(5));

        assertThat(status().sinceSuccess()).isEqualTo(Duration.ofSeconds(5));
        assertThat(status().failingFor()).isNull();
    }

    @Test
    void failuresCountFromTheFirstOneUntilTheNextSuccess() {
        here.acquire("key");
        here.store.always(refused("Throttled"));
        here.leases.acquireAsync(LeaseRequest.of("other"));
        bench.advance(Duration.ofSeconds(3));

        assertThat(status().sinceSuccess()).isEqualTo(Duration.ofSeconds(3));
        assertThat(status().failingFor()).isEqualTo(Duration.ofSeconds(3));
        assertThat(status().sinceFailure()).isLessThan(Duration.ofSeconds(2));
        assertThat(status().lastError()).isEqualTo("IllegalStateException: Throttled");

        here.store.heal();
        bench.advance(Duration.ofSeconds(4));
        assertThat(status().failingFor()).isNull();
        assertThat(status().sinceFailure()).isGreaterThan(Duration.ofSeconds(3));
        assertThat(status().lastError()).isNull();
    }

    @Test
    void aLeaseIsOverdueOnceItIsAtRisk() {
        Lease lease = here.acquire("key");
        here.store.always(RENEW, broken("Broken"));
        long atRisk = Bench.TTL.minusMillis(10).minus(Bench.TTL.dividedBy(3)).toMillis();
        bench.advance(Duration.ofMillis(atRisk - 1));
        assertThat(status().overdue()).isZero();

        bench.advance(Duration.ofMillis(2));
        assertThat(status().overdue()).isOne();

        here.store.heal();
        bench.advance(Duration.ofSeconds(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(status().overdue()).isZero();
    }

    @Test
    void theLocalClockAgainstTheStores() {
        here.sample(2);
        assertThat(status().clockOffset()).isBetween(Duration.ofSeconds(-1), Duration.ofSeconds(1));
        assertThat(status().clockUncertainty()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));

        here.machine.jumpWallClock(Duration.ofHours(-1));
        here.sample(2);
        assertThat(status().clockOffset())
                .isBetween(
                        Duration.ofHours(-1).minusSeconds(1),
                        Duration.ofHours(-1).plusSeconds(1));
    }
}
