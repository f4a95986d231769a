package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.ReleaseMode;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Content of the table after a release (protocol 5.3, 5.4). */
class ReleaseModeTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");
    private final Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));

    @Test
    void aRetainedItemIsFreeAndKeepsTokenAndOwnerForTheRetention() {
        Lease lease = here.acquire("key");
        bench.advance(Duration.ofSeconds(1));

        lease.close();

        LeaseItem item = bench.item("key");
        assertThat(item.version()).isNull();
        assertThat(item.durationMillis()).isNull();
        assertThat(item.token()).isEqualTo(lease.fencingToken());
        assertThat(item.owner()).isEqualTo("here");
        long now = bench.time.now().getEpochSecond();
        assertThat(item.expiry() - now - Duration.ofDays(7).toSeconds()).isBetween(0L, 3L);
        assertThat(item.releasedAtMillis() - now * 1_000).isBetween(-1_500L, 1_500L);
    }

    @Test
    void theRetentionIsASetting() {
        Bench.Node brief = bench.start("brief", builder -> builder.retention(Duration.ofMinutes(15)));

        brief.acquire("key").close();

        assertThat(bench.item("key").expiry() - bench.time.now().getEpochSecond())
                .isBetween(900L, 903L);
    }

    @Test
    void deleteModeDeletesOnceTheTokenLiesInThePast() {
        Lease lease = deleting.acquire("key");
        bench.advance(Duration.ofSeconds(6));

        lease.close();

        assertThat(bench.table.item("key")).isEmpty();
    }

    @Test
    void deleteModeRetainsTheItemOfAShortTenure() {
        Lease lease = deleting.acquire("key");
        bench.advance(Duration.ofSeconds(3));

        lease.close();

        assertThat(bench.item("key").version()).isNull();
        assertThat(bench.item("key").token()).isEqualTo(lease.fencingToken());
    }

    @Test
    void deleteModeRetainsTheItemOfATenureOfWhichACopyMayStillArrive() {
        deleting.store.next(ACQUIRE, RESENT);
        Lease lease = deleting.acquire("key");
        bench.advance(Duration.ofMinutes(1));

        lease.close();

        assertThat(bench.item("key").token()).isEqualTo(lease.fencingToken());
    }

    @Test
    void deleteModeFreesNobodyElses() {
        Lease lease = deleting.acquire("key");
        deleting.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(7));
        Lease others = other.acquire("key");
        deleting.store.heal();

        lease.close();

        bench.assertHeldFor(Duration.ofSeconds(30), others);
    }
}
