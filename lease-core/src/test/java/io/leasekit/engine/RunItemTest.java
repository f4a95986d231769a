package io.leasekit.engine;

import static io.leasekit.LeaseRunOutcome.FAILED;
import static io.leasekit.LeaseRunOutcome.RETRY;
import static io.leasekit.LeaseRunOutcome.SUCCEEDED;
import static io.leasekit.engine.ScriptedStore.LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.ReleaseMode;
import io.leasekit.records.ItemRun;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs in any order, each recorded in an item of its own next to the item of the lease. */
class RunItemTest {

    private static final LeaseRequest A = LeaseRequest.of("key").once("a");
    private static final LeaseRequest B = LeaseRequest.of("key").once("b");

    @RegisterExtension
    private final LogLines log = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private void run(LeaseRequest request, LeaseRunOutcome outcome) {
        Lease lease = here.acquire(request);
        lease.recordRun(outcome);
        lease.close();
    }

    @Test
    void eachRunIsDoneOnceInWhateverOrder() {
        run(B, SUCCEEDED);
        run(A, FAILED);

        assertThat(other.tryAcquire(B)).isEmpty();
        assertThat(other.tryAcquire(A)).isEmpty();
        assertThat(other.tryAcquire(LeaseRequest.of("key").once("0"))).isPresent();
    }

    @Test
    void aChangeOfTheOrderIsLoggedOnce() {
        run(LeaseRequest.of("key").once("a", OnceOrder.GROWING), SUCCEEDED);
        assertThat(warnings()).isEmpty();

        run(A, SUCCEEDED);
        run(B, SUCCEEDED);

        assertThat(warnings())
                .containsExactly(
                        "Lease 'key' is used for runs in any order, but its item shows run 'a' of runs in growing"
                                + " order: runs that were done before the change of 'onceOrder' may be executed again");
    }

    private List<String> warnings() {
        return log.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void aRunThatIsNotDoneIsGrantedAgain() {
        run(B, RETRY);
        here.acquire(B).close();

        assertThat(other.tryAcquire(B)).isPresent();
    }

    @Test
    void aRunThatIsDoneIsToldApartFromALeaseThatAnotherHolds() {
        run(B, SUCCEEDED);
        Lease running = here.acquire(A);

        assertThatThrownBy(() -> other.leases.acquire(B)).isInstanceOf(LeaseAlreadyRanException.class);
        assertThatThrownBy(() -> other.leases.acquire(LeaseRequest.of("key").once("c")))
                .isInstanceOf(LeaseUnavailableException.class);
        assertThatThrownBy(() -> other.leases.acquire(LeaseRequest.of("key")))
                .isInstanceOf(LeaseUnavailableException.class);
        assertThat(running.isValid()).isTrue();
    }

    @Test
    void bothItemsAreOneLeaseOfOneKey() {
        Lease lease = here.acquire(B);

        assertThat(lease.keys()).containsExactly("key");
        assertThat(lease.runName()).contains("b");
        assertThat(lease.conditionCheck().conditionExpression()).contains(String.valueOf(lease.fencingToken()));
        assertThat(here.leases.held())
                .singleElement()
                .satisfies(status -> assertThat(status.key()).isEqualTo("key"));
        assertThat(bench.item("key#run=b").token()).isEqualTo(lease.fencingToken());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
        assertThat(bench.isHeld("key#run=b")).as("renewed with the lease").isTrue();
        lease.close();
        assertThat(bench.isHeld("key")).isFalse();
        assertThat(bench.isHeld("key#run=b")).isFalse();
        assertThat(here.events).extracting(LeaseEvent::key).containsOnly("key");
    }

    @Test
    void runItemsAreNotListed() {
        here.acquire(B);

        assertThat(other.leases.list(LeaseQuery.all()).leases())
                .extracting(LeaseInfo::key)
                .containsExactly("key");
    }

    @Test
    void theRunIsKeptForTheOnceRetentionAndTheLeaseTellsOfIt() {
        run(B, SUCCEEDED);

        assertThat(ItemRun.of(bench.item("key#run=b").records()).name()).isEqualTo("b");
        assertThat(ItemRun.of(bench.item("key").records()).name())
                .as("no name, so it decides nothing")
                .isNull();
        assertThat(ItemRun.of(bench.item("key").records()).owner()).isEqualTo("here");
        assertThat(daysLeft("key#run=b")).isEqualTo(400);
        assertThat(daysLeft("key")).isEqualTo(7);
    }

    @Test
    void deleteModeKeepsTheRunOnly() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        Lease lease = deleting.acquire(B);
        bench.advance(Duration.ofSeconds(6));

        lease.recordRun(SUCCEEDED);
        lease.close();

        assertThat(bench.table.item("key")).isEmpty();
        assertThat(other.tryAcquire(B)).isEmpty();
    }

    private long daysLeft(String key) {
        return (bench.item(key).expiry() - bench.time.now().getEpochSecond()) / 86_400;
    }

    @Test
    void theRunOfADeadHolderIsTakenUp() {
        here.acquire(B);
        CompletableFuture<Optional<Lease>> waiting = other.leases.acquireAsync(B.waitFor(Duration.ofHours(1)));
        bench.advance(Duration.ofMinutes(5));
        assertThat(waiting).isNotDone();

        here.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(8));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void whoWaitsIsToldWhenTheRunIsDone() {
        Lease lease = here.acquire(B);
        CompletableFuture<Optional<Lease>> waiting = other.leases.acquireAsync(B.waitFor(Duration.ofHours(1)));
        bench.advance(Duration.ofMinutes(5));

        lease.recordRun(SUCCEEDED);
        lease.close();
        bench.advance(Duration.ofSeconds(3));

        assertThat(waiting).isCompletedWithValue(Optional.empty());
        assertThat(other.events).singleElement().isInstanceOf(LeaseEvent.AlreadyRan.class);
    }

    @Test
    void theFirstOfSeveralKeysKeepsTheRuns() {
        LeaseRequest both = LeaseRequest.ofAll("y", "x").once("b");

        run(both, SUCCEEDED);

        assertThat(ItemRun.of(bench.item("x#run=b").records()).name()).isEqualTo("b");
        assertThat(other.tryAcquire(both)).isEmpty();
        assertThat(other.acquire(LeaseRequest.ofAll("y", "x")).keys()).isEqualTo(List.of("x", "y"));
    }

    @Test
    void theWholeKeyCountsIn2048Bytes() {
        LeaseRequest request = LeaseRequest.of("k".repeat(2_048 - 5 - 10));

        assertThat(request.once("r".repeat(10)).once()).hasSize(10);
        assertThatThrownBy(() -> request.once("r".repeat(11)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 2049 bytes of UTF-8, expected at most 2048");
        assertThat(request.once("r".repeat(11), OnceOrder.GROWING).once()).hasSize(11);
    }

    @Test
    void aRunTakesTheRoomOfAKeyInTheTransaction() {
        LeaseRequest most = LeaseRequest.ofAll(keys(99)).once("b");
        LeaseRequest all = LeaseRequest.ofAll(keys(100));

        assertThat(here.acquire(most).keys()).hasSize(99);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> all.once("b"))
                .withMessage(
                        "Request of 100 keys for lease key 'key-0' has run 'b' in any order, expected at most 99 keys:"
                                + " the run has an item of its own");
    }

    @Test
    void aGrowingRunTakesNoRoomOfAKey() {
        LeaseRequest all = LeaseRequest.ofAll(keys(100)).once("b", OnceOrder.GROWING);

        assertThat(here.acquire(all).keys()).hasSize(100);
        assertThatIllegalArgumentException().isThrownBy(() -> all.once("b"));
    }

    private static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "key-" + i).toList();
    }
}
