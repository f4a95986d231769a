package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.MARK;
import static io.leasekit.engine.ScriptedStore.Verb.READ_EACH;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When a process reads the permits of a key, marks one, or requests one without a read (protocol 6.6). */
class PermitReadsTest {

    private static final LeaseRequest TWO = LeaseRequest.of("key").permits(2);
    private static final LeaseRequest THREE = LeaseRequest.of("key").permits(3);
    private static final LeaseRequest WAITING = TWO.waitFor(Duration.ofHours(1));
    private static final int HAND_OVERS = 40; // 16 follow the mark

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");
    private Lease moving; // the lease that the other process hands over

    /** The other process hands one permit over, this often or until it has to leave it to others; {@code during}: each time. */
    private int handOver(LeaseRequest request, int most, Runnable during) {
        for (int handOvers = 0; handOvers < most; handOvers++) {
            CompletableFuture<Optional<Lease>> next = other.leases.acquireAsync(request.waitFor(Duration.ofHours(1)));
            during.run();
            moving.close();
            if (!next.isDone()) {
                return handOvers;
            }
            moving = next.join().orElseThrow();
        }
        return most;
    }

    private void otherHoldsBoth() {
        other.acquire(TWO);
        moving = other.acquire(TWO);
    }

    // ---- marks

    /** Turns are long, so the callers that do not wait cause each look. */
    @Test
    void callersThatDoNotWaitKeepTheirProcessFromNoMark() {
        otherHoldsBoth();
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);

        int handOvers = handOver(TWO, HAND_OVERS, () -> tryOftenFor20s(TWO));
        tryOftenFor20s(TWO);

        assertThat(waiter).isDone();
        assertThat(handOvers).isBetween(16, 20);
        assertThat(here.store.verbs()).containsOnlyOnce(MARK);
    }

    private void tryOftenFor20s(LeaseRequest request) {
        for (int i = 0; i < 40; i++) {
            assertThat(here.tryAcquire(request)).isEmpty();
            bench.advance(Duration.ofMillis(500));
        }
    }

    @Test
    void aMarkThatFailsIsFollowedByALook() {
        otherHoldsBoth();
        here.leases.acquireAsync(WAITING);
        here.store.always(MARK, ScriptedStore.refused("throttled"));

        int handOvers = handOver(TWO, 3, () -> tryOftenFor20s(TWO));
        tryOftenFor20s(TWO);

        assertThat(here.store.sent(MARK)).hasSize(handOvers);
        assertThat(here.store.verbs()).hasSizeLessThan(4 * 40 + 20);
    }

    /** A mark is for those who wait. */
    @Test
    void callersThatDoNotWaitMarkNothing() {
        here.acquire(THREE); // so the looks of this process remember what they have seen
        other.acquire(THREE);
        moving = other.acquire(THREE);

        handOver(THREE, 3, () -> tryOftenFor20s(THREE));

        assertThat(here.store.verbs()).contains(READ_EACH).doesNotContain(MARK);
    }

    // ---- requests while permits are kept

    private void heldBy(String owner, int slot) {
        long expiry = bench.time.now().getEpochSecond() + 60;
        String version = UUID.randomUUID() + "-00000001";
        bench.table.put(new LeaseItem(LeaseSpec.slotKey("key", slot), version, expiry, 60_000L, 1L, owner, 1L, null));
    }

    /** Another process takes the slot just before this one asks for it. */
    private void outrun() {
        here.store.next(ACQUIRE, request -> {
            heldBy("third", moving.slot());
            request.deliver();
        });
        moving.close();
        while (!bench.isHeld(LeaseSpec.slotKey("key", moving.slot()))) {
            bench.advance(Duration.ofMillis(10));
        }
    }

    @Test
    void aLostRaceForAPermitThatIsThenKeptCostsFewRequests() {
        otherHoldsBoth();
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofMinutes(10));
        outrun();
        here.store.verbs();

        bench.advance(Duration.ofSeconds(10));

        assertThat(waiter).isNotDone();
        assertThat(here.store.verbs()).hasSizeLessThan(35);
    }

    /** Looks that show each tenure once prove no time for it, so its turn counts as short. */
    @Test
    void aPermitThatIsKeptAfterAShortTurnCostsFewRequests() {
        otherHoldsBoth();
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofMinutes(10));
        outrun();
        heldBy("fourth", moving.slot());
        here.store.verbs();

        bench.advance(Duration.ofSeconds(10));

        assertThat(waiter).isNotDone();
        assertThat(here.store.verbs()).hasSizeLessThan(45);
    }

    @Test
    void aProcessThatLeavesAPermitToOthersLooksSeldom() {
        otherHoldsBoth();
        CompletableFuture<Optional<Lease>> marks = here.leases.acquireAsync(WAITING);
        int handOvers = handOver(TWO, HAND_OVERS, () -> {
            bench.advance(Duration.ofSeconds(1));
            if (here.store.sent(MARK).size() == 1) {
                marks.cancel(false);
            }
        });
        assertThat(handOvers).isBetween(16, 20);
        other.store.verbs();

        bench.advance(Duration.ofMillis(1_400));

        assertThat(other.store.verbs()).hasSizeLessThan(20);
    }

    // ---- looks without callers

    @Test
    void aLookWhoseCallersHaveGoneIsNotSent() {
        otherHoldsBoth();
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofSeconds(5));
        here.store.always(LOST);
        Stream.generate(() -> LeaseRequest.of("busy-" + UUID.randomUUID()).waitFor(Duration.ofMinutes(1)))
                .limit(32)
                .forEach(here.leases::acquireAsync);
        bench.advance(Duration.ofMillis(1_500)); // a look waits for its turn
        here.store.verbs();

        waiter.cancel(false);
        bench.advance(Duration.ofSeconds(30));

        assertThat(here.store.verbs()).isNotEmpty().doesNotContain(READ_EACH);
    }
}
