package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.MARK;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A waiter for several keys holds none of them and reads those that others hold one after the other (protocol 6). */
class GroupWaitTest {

    private static final LeaseRequest WAITING =
            LeaseRequest.ofAll("a", "b", "c").waitFor(Duration.ofMinutes(5));

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    @Test
    void theKeyThatIsInTheWayIsLookedAtAndNothingElseWritten() {
        other.acquire("b");
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(WAITING);
        here.store.verbs();

        bench.advance(Duration.ofSeconds(10));

        assertThat(waiting).isNotDone();
        assertThat(here.store.sent(READ)).allMatch(read -> read.keys().contains("b"));
        assertThat(here.store.verbs()).containsOnly(READ);
        assertThat(bench.table.item("a")).isEmpty();
    }

    @Test
    void onceAllAreFreeAllAreAcquiredByOneAttempt() {
        Lease theirA = other.acquire("a");
        Lease theirC = other.acquire("c");
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofSeconds(5));
        here.store.verbs();

        theirA.close();
        bench.advance(Duration.ofSeconds(5));
        assertThat(waiting).isNotDone();
        assertThat(here.store.verbs()).containsOnly(READ);

        theirC.close();
        bench.advance(Duration.ofSeconds(2));
        assertThat(here.store.sent(ACQUIRE)).hasSize(1);
        bench.assertHeldFor(Duration.ofSeconds(30), waiting.join().orElseThrow());
    }

    @Test
    void twoWhoNameTheSameKeysInDifferentOrderBothGetThem() {
        Lease first = other.acquire(LeaseRequest.ofAll("c", "b", "a"));
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofSeconds(5));

        first.close();
        CompletableFuture<Optional<Lease>> again =
                other.leases.acquireAsync(LeaseRequest.ofAll("b", "c", "a").waitFor(Duration.ofMinutes(5)));
        bench.advance(Duration.ofSeconds(2));

        CompletableFuture<Optional<Lease>> sooner = waiting.isDone() ? waiting : again;
        CompletableFuture<Optional<Lease>> later = waiting.isDone() ? again : waiting;
        assertThat(later).isNotDone();
        sooner.join().orElseThrow().close();
        bench.advance(Duration.ofSeconds(2));
        assertThat(later.join()).isPresent();
    }

    @Test
    void whoHasWaitedInVainIsToldWhoHoldsIt() {
        other.acquire("b");

        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.ofAll("a", "b").waitFor(Duration.ofSeconds(3)));
        bench.advance(Duration.ofSeconds(4));

        assertThat(waiting.join()).isEmpty();
        assertThat(here.events).last().isInstanceOfSatisfying(LeaseEvent.Unavailable.class, unavailable -> {
            assertThat(unavailable.key()).isEqualTo("b");
            assertThat(unavailable.holder()).isNotNull();
        });
    }

    @Test
    void aKeyThatGoesFromHandToHandElsewhereIsMarked() {
        Lease theirs = other.acquire("b");
        here.leases.acquireAsync(WAITING);
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Optional<Lease>> next =
                    other.leases.acquireAsync(LeaseRequest.of("b").waitFor(Duration.ofMinutes(1)));
            bench.advance(Duration.ofSeconds(2));
            theirs.close();
            theirs = next.join().orElseThrow();
        }
        bench.advance(Duration.ofSeconds(2));

        assertThat(here.store.sent(MARK))
                .hasSize(1)
                .allMatch(mark -> mark.keys().contains("b"));
        assertThat(bench.item("b").waitingSinceMillis()).isNotNull();
    }

    @Test
    void aDeadHoldersKeyIsTakenOver() {
        other.acquire("b");
        other.store.always(ScriptedStore.LOST);
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(WAITING);

        bench.advance(Bench.TTL.plusSeconds(7));

        assertThat(waiting.join()).isPresent();
    }
}
