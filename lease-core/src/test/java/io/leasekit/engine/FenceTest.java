package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.store.LeaseItem;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The identity of a lease as a value for a worker (protocol 5.8). */
class FenceTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    /** Evaluates the condition of a check that is made of the fence. */
    private boolean isCurrent(LeaseFence fence) {
        LeaseItem item = bench.item(fence.key());
        return item.version() != null
                && item.version().startsWith(fence.tenure().toString())
                && Long.valueOf(fence.fencingToken()).equals(item.token());
    }

    @Test
    void aFenceIsTheSameAcrossRenewals() {
        Lease lease = here.acquire("key");
        LeaseFence fence = lease.fence();
        assertThat(fence.key()).isEqualTo("key");
        assertThat(fence.fencingToken()).isEqualTo(lease.fencingToken());

        bench.advance(Bench.TTL.multipliedBy(3));

        assertThat(lease.fence()).isEqualTo(fence);
        assertThat(isCurrent(fence)).isTrue();
    }

    @Test
    void aFenceIsStaleAfterAHandOver() {
        Lease before = here.acquire("key");
        LeaseFence old = before.fence();
        CompletableFuture<Optional<Lease>> next = here.waiting("key");

        before.close();

        LeaseFence current = next.join().orElseThrow().fence();
        assertThat(isCurrent(old)).isFalse();
        assertThat(isCurrent(current)).isTrue();
        assertThat(current.fencingToken()).isGreaterThan(old.fencingToken());
        assertThat(current.tenure()).isNotEqualTo(old.tenure());
    }

    @Test
    void aFenceIsStaleAfterATakeOver() {
        LeaseFence old = here.acquire("key").fence();
        here.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(7));

        LeaseFence current = other.acquire("key").fence();

        assertThat(isCurrent(old)).isFalse();
        assertThat(isCurrent(current)).isTrue();
    }

    @Test
    void aFenceIsStaleAfterTheReleaseAndDuringAHold() {
        Lease released = here.acquire("key");
        LeaseFence old = released.fence();
        released.close();
        assertThat(isCurrent(old)).isFalse();
        Lease kept = here.acquire(LeaseRequest.of("key").cooldown(Duration.ofMinutes(1)));
        LeaseFence during = kept.fence();
        kept.close();

        assertThat(isCurrent(during)).isFalse();
    }

    @Test
    void severalKeysHaveOneFenceEach() {
        Lease lease = here.acquire(LeaseRequest.ofAll("b", "a"));

        assertThat(lease.fences()).extracting(LeaseFence::key).containsExactly("a", "b");
        assertThat(lease.fences()).allMatch(this::isCurrent);
        assertThatThrownBy(lease::fence)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Lease 'a', 'b' has 2 keys, and one fence does not cover them: call fences()");
        assertThat(here.acquire("one").fences()).hasSize(1);
    }

    @Test
    void onlyAValidLeaseHasAFence() {
        Lease lost = here.acquire("lost");
        bench.table.remove("lost");
        bench.advance(Bench.TTL);
        Lease released = here.acquire("released");
        released.close();

        assertThatThrownBy(lost::fence).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(released::fence)
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessageContaining("it was released");
    }

    @Test
    void aFenceCanBeSerialized() throws IOException, ClassNotFoundException {
        LeaseFence fence = here.acquire("key").fence();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(fence);
        }

        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isEqualTo(fence);
        }
    }

    @Test
    void partsThatNoLeaseCanHaveAreRefused() {
        UUID tenure = new UUID(1, 2);

        assertThatThrownBy(() -> new LeaseFence(" ", 1, tenure))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Lease key is blank");
        assertThatThrownBy(() -> new LeaseFence("key", 0, tenure))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fencingToken is 0 for lease key 'key', expected the token of a lease, at least 1");
    }

    @Test
    void itIsPrintedWithItsKeyQuoted() {
        assertThat(new LeaseFence("a\nb", 7, new UUID(1, 2)))
                .hasToString(
                        "LeaseFence[key='a\\u000ab', fencingToken=7, tenure=00000000-0000-0001-0000-000000000002]");
    }
}
