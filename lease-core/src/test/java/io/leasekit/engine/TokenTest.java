package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.ReleaseMode;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The fencing token grows with each lease of a key, whatever happens in between (protocol 5.4). */
class TokenTest {

    private static final Duration ENDED = Bench.TTL.plusSeconds(7);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private void assertGrows(Lease first) {
        assertThat(other.acquire("key").fencingToken()).isGreaterThan(first.fencingToken());
    }

    @Test
    void liesAtTheDeadlineOfItsAcquire() {
        here.sample(1);

        // 2 s up to the latest time that the one reply allows, and 2 s of deadline
        assertThat(here.acquire("key").fencingToken()).isEqualTo(VirtualTime.START.toEpochMilli() + 4_000);
    }

    @Test
    void growsOverARelease() {
        Lease lease = here.acquire("key");
        lease.close();

        assertGrows(lease);
    }

    @Test
    void growsWithEachAcquireOfOneProcess() {
        long last = 0;
        for (int i = 0; i < 20; i++) {
            Lease lease = here.acquire("key");
            assertThat(lease.fencingToken()).isGreaterThan(last);
            last = lease.fencingToken();
            lease.close();
        }
    }

    @Test
    void growsOverATakeOverByExpiry() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        bench.advance(ENDED);

        assertGrows(lease);
    }

    @Test
    void growsOverATakeOverByObservation() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        other.tryAcquire("key");
        bench.advance(Bench.TTL.plusMillis(10));

        assertGrows(lease);
    }

    @Test
    void growsOverARemovalByItemTtl() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        bench.advance(Duration.ofSeconds(bench.item("key").expiry())
                .minusSeconds(VirtualTime.START.getEpochSecond())
                .plusMillis(1));
        bench.table.remove("key");

        assertGrows(lease);
    }

    @Test
    void growsOverTheRemovalOfAHold() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(Duration.ofMillis(1)));
        lease.close();
        bench.advance(Duration.ofSeconds(bench.item("key").expiry())
                .minusSeconds(VirtualTime.START.getEpochSecond())
                .plusMillis(1));
        bench.table.remove("key");

        assertGrows(lease);
    }

    @Test
    void growsOverADeleteAfterALongTenure() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        Lease lease = deleting.acquire("key");
        bench.advance(Duration.ofSeconds(6));
        lease.close();
        assertThat(bench.table.item("key")).isEmpty();

        assertGrows(lease);
    }

    @Test
    void growsOverADeleteWithinTheUncertaintyOfTheClock() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        for (int tenth = 0; tenth < 80; tenth++) {
            Lease lease = deleting.acquire("key");
            bench.advance(Duration.ofMillis(100L * tenth));
            lease.close();
            Lease next = bench.start("next").acquire("key");
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            next.close();
        }
    }

    @Test
    void growsOverATenureOfACratesClientThatErasedIt() {
        Lease lease = here.acquire("key");
        lease.close();
        long expiry = bench.time.now().getEpochSecond() + 10;
        bench.table.put(new LeaseItem("key", "crate", expiry, null, null, null, null, null));
        bench.advance(Duration.ofSeconds(5)); // longer than the uncertainty of the clock
        bench.table.remove("key");

        assertGrows(lease);
    }

    @Test
    void growsOverAnAcquireWhoseReplyWasLost() {
        here.store.next(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        long written = bench.item("key").token();
        bench.advance(Duration.ofMillis(2_100));

        assertThat(acquiring.join().orElseThrow().fencingToken()).isGreaterThan(written);
        assertThat(bench.item("key").token())
                .isEqualTo(acquiring.join().orElseThrow().fencingToken());
    }

    @Test
    void staysTheSameAcrossRenewals() {
        Lease lease = here.acquire("key");
        bench.advance(Duration.ofMinutes(1));

        assertThat(bench.item("key").token()).isEqualTo(lease.fencingToken());
    }

    @Test
    void aFreeItemThatRefusesBecauseOfItsTokenCostsOneRequestMore() {
        long far = VirtualTime.START.toEpochMilli() + 3_600_000;
        bench.table.put(new LeaseItem("key", null, 1L, null, far, "former", null, null));
        here.sample(2);

        Lease lease = here.acquire("key");

        assertThat(lease.fencingToken()).isEqualTo(far + 1);
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
    }

    @Test
    void aTokenThatIsRememberedCostsNoRequestMore() {
        long far = VirtualTime.START.toEpochMilli() + 3_600_000;
        bench.table.put(new LeaseItem("key", null, 1L, null, far, "former", null, null));
        here.sample(2);
        here.leases.find("key");
        here.store.verbs();

        assertThat(here.acquire("key").fencingToken()).isEqualTo(far + 1);

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    @Test
    void anotherProcessJustBeforeCostsOneRequestMore() {
        other.sample(2);
        here.sample(2);
        other.acquire("key").close();

        here.acquire("key");

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
    }

    @Test
    void theLargestOfAllTokensIsUnavailableAndNoOverflow() {
        bench.table.put(new LeaseItem("key", null, 1L, null, Long.MAX_VALUE, "absurd", null, null));

        assertThat(here.tryAcquire("key")).isEmpty();

        assertThat(bench.item("key").token()).isEqualTo(Long.MAX_VALUE);
    }
}
