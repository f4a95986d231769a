package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.leasekit.Lease;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.ReleaseMode;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Releases that wait for a turn are sent together. Each is applied or refused individually (protocol 5.3, 5.5, 8). */
class BatchedReleasesTest {

    private static final int ROOM = RequestLimiter.FIRST_IN_FLIGHT;
    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration RETRIED = Duration.ofMillis(100); // longer than the first backoff

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private Bench.Node here = bench.start("here");
    private final List<ScriptedStore.Request> busy = new ArrayList<>();

    private static Consumer<ScriptedStore.Request> denied() {
        return request -> {
            if (request.isBatch()) {
                request.fail(StoreReply.FailureKind.BATCH_REJECTED, "no permission for dynamodb:PartiQLUpdate");
            } else {
                request.deliver();
            }
        };
    }

    private void start(Consumer<LeaseManagerBuilder> settings) {
        here = bench.start("here", settings);
    }

    private List<Lease> acquire(int count) {
        return IntStream.range(0, count).mapToObj(i -> here.acquire("key-" + i)).toList();
    }

    /** Fills the room for requests with releases that are not answered. */
    private void fillTheRoom() {
        List<Lease> leases = IntStream.range(0, ROOM)
                .mapToObj(i -> here.acquire("busy-" + i))
                .toList();
        here.store.verbs();
        here.store.always(RELEASE, LOST);
        leases.forEach(Lease::releaseAsync);
        busy.addAll(here.store.sent(RELEASE));
        assertThat(busy).hasSize(ROOM).noneMatch(ScriptedStore.Request::isBatch);
        here.store.heal();
        here.store.verbs();
    }

    /** Releases all while there is no room, then answers one request that was in flight. */
    private void releaseInOneTurn(List<Lease> leases) {
        leases.forEach(Lease::releaseAsync);
        assertThat(here.store.sent(RELEASE)).isEmpty();
        busy.get(0).deliver();
    }

    private long warnings() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .count();
    }

    private List<Integer> sizes() {
        return here.store.sent(RELEASE).stream()
                .map(request -> request.keys().size())
                .toList();
    }

    private void assertReleased(List<Lease> leases) {
        assertThat(leases).noneMatch(lease -> bench.isHeld(lease.key()));
        assertThat(leases)
                .allMatch(lease -> lease.releaseAsync().toCompletableFuture().isDone());
    }

    // ---- batch sizes

    @Test
    void aReleaseThatFindsRoomIsAWriteOfItsOwn() {
        List<Lease> held = acquire(30);
        here.store.verbs();

        held.forEach(Lease::close);

        assertThat(here.store.sent(RELEASE)).hasSize(30).noneMatch(ScriptedStore.Request::isBatch);
        assertReleased(held);
    }

    @Test
    void theOnlyOneThatWaitsIsAWrite() {
        List<Lease> held = acquire(1);
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(here.store.last(RELEASE).command).isInstanceOf(ReleaseCommand.class);
        assertReleased(held);
    }

    @Test
    void thoseThatWaitTogetherTravelTogether() {
        List<Lease> held = acquire(60);
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(sizes()).containsExactly(25, 25, 10);
        assertThat(here.store.sent(RELEASE)).allMatch(request -> request.isBatch());
        assertReleased(held);
    }

    @Test
    void aReleaseIsMadeWhenItsTurnHasCome() {
        List<Lease> held = acquire(2);
        fillTheRoom();
        held.forEach(Lease::releaseAsync);
        bench.advance(Duration.ofMillis(1_500));

        busy.forEach(ScriptedStore.Request::deliver); // so late that they halve the room

        long late = bench.item("key-0").releasedAtMillis() - bench.time.now().toEpochMilli();
        assertThat(Math.abs(late)).isLessThan(1_200); // the uncertainty of the clock
        assertThat(here.store.last(RELEASE).timeout).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void aDeletionIsARequestOfItsOwn() {
        start(builder -> builder.releaseMode(ReleaseMode.DELETE));
        List<Lease> held = acquire(3);
        bench.advance(Duration.ofSeconds(6)); // until the clock has passed the tokens
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(here.store.sent(RELEASE)).hasSize(3).noneMatch(ScriptedStore.Request::isBatch);
        assertThat(held).allMatch(lease -> bench.table.item(lease.key()).isEmpty());
    }

    @Test
    void aLeaseOfSeveralKeysIsReleasedByItsTransaction() {
        List<Lease> held = new ArrayList<>(acquire(2));
        held.add(here.acquire(LeaseRequest.ofAll("a", "b")));
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(here.store.sent(RELEASE))
                .extracting(ScriptedStore.Request::isBatch)
                .containsExactlyInAnyOrder(true, false);
        assertReleased(held);
    }

    @Test
    void aHoldTravelsWithOthers() {
        Duration cooldown = Duration.ofSeconds(8);
        List<Lease> held = Stream.of("key-0", "key-1")
                .map(key -> here.acquire(LeaseRequest.of(key).cooldown(cooldown)))
                .toList();
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(sizes()).containsExactly(2);
        assertThat(held).allMatch(lease -> bench.isHeld(lease.key()));
        assertThat(here.tryAcquire("key-0")).isEmpty();
    }

    // ---- replies

    @Test
    void oneThatIsRefusedIsDoneAndLeavesTheOtherLeaseAlone() {
        List<Lease> held = acquire(3);
        LeaseItem others = new LeaseItem("key-1", "another", 2_000_000_000L, 1L, 9L, "other", 1L, null);
        bench.table.put(others);
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(sizes()).containsExactly(3);
        assertThat(bench.item("key-1")).isEqualTo(others);
        assertReleased(List.of(held.get(0), held.get(2)));
        assertThat(held.get(1).releaseAsync().toCompletableFuture()).isDone();
    }

    @Test
    void eachReplyIsTakenForItsOwnRelease() {
        List<Lease> held = acquire(4);
        bench.table.remove("key-1");
        fillTheRoom();
        here.store.next(RELEASE, request -> {
            List<StoreReply> outcomes = new ArrayList<>(request.applyEach());
            outcomes.set(2, failed(StoreReply.FailureKind.UNKNOWN));
            outcomes.set(3, failed(StoreReply.FailureKind.THROTTLED));
            request.answerEach(outcomes);
        });

        releaseInOneTurn(held);

        assertThat(held)
                .extracting(lease -> lease.releaseAsync().toCompletableFuture().isDone())
                .containsExactly(true, true, false, false);
        assertThat(sizes()).as("a refusal without an item is asked for again").containsExactly(4, 1);
        bench.advance(RETRIED);
        assertReleased(held);
    }

    private static StoreReply failed(StoreReply.FailureKind kind) {
        return new StoreReply.Failed(kind, new IllegalStateException("statement failed"), null, false);
    }

    @Test
    void aServerThatShowsNoItemsInBatchesIsAskedAgainForEach() {
        List<Lease> held = acquire(3);
        fillTheRoom();
        here.store.next(
                RELEASE,
                request -> request.answer(new StoreReply.Refused(null, bench.time.now(), false))); // applied to none

        releaseInOneTurn(held);

        assertThat(sizes()).containsExactly(3, 1, 1, 1);
        assertReleased(held);
    }

    @Test
    void aLostRequestIsTriedAgain() {
        List<Lease> held = acquire(5);
        fillTheRoom();
        here.store.next(RELEASE, LOST);

        releaseInOneTurn(held);

        assertThat(held).allMatch(lease -> bench.isHeld(lease.key()));
        bench.advance(Duration.ofSeconds(2).plus(RETRIED));
        assertReleased(held);
    }

    @Test
    void afterALostReplyNoLaterLeaseIsReleased() {
        List<Lease> held = acquire(5);
        fillTheRoom();
        here.store.next(RELEASE, REPLY_LOST);
        releaseInOneTurn(held);
        Lease next = bench.start("there").acquire("key-3");

        bench.advance(Duration.ofSeconds(2).plus(RETRIED));

        assertThat(held)
                .allMatch(lease -> lease.releaseAsync().toCompletableFuture().isDone());
        assertThat(next.isValid()).isTrue();
        bench.assertCovered(next);
    }

    @Test
    void aBatchThatThrowsIsAFailureLikeOthers() {
        List<Lease> held = acquire(5);
        fillTheRoom();
        here.store.next(RELEASE, request -> {
            throw new IllegalStateException("client is broken");
        });

        releaseInOneTurn(held);
        bench.advance(RETRIED);

        assertReleased(held);
    }

    @Test
    void theMarkOfAWaiterIsTakenFromABatch() {
        List<Lease> held = acquire(2);
        LeaseItem item = bench.item("key-0");
        bench.table.put(new LeaseItem(
                "key-0",
                item.version(),
                item.expiry(),
                item.durationMillis(),
                item.token(),
                item.owner(),
                item.acquiredAtMillis(),
                null,
                bench.time.now().toEpochMilli(),
                item.records()));
        fillTheRoom();

        releaseInOneTurn(held);

        assertThat(bench.item("key-0").waitingSinceMillis()).isNull();
        assertThat(here.waiting("key-0")).as("left to the process that waits").isNotDone();
        assertThat(here.waiting("key-1")).isDone();
    }

    // ---- rejected batches

    @Test
    void whereBatchesAreDeniedEachIsSentSinglyAtOnceAndTheNextAreNotTried() {
        List<Lease> held = acquire(60);
        fillTheRoom();
        here.store.always(RELEASE, denied());

        releaseInOneTurn(held);

        assertReleased(held);
        assertThat(sizes()).containsOnlyOnce(25).hasSize(61);
        assertThat(logged.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .startsWith("Renewals and releases in table 'scripted' are sent one by one, up to 25 times"));
    }

    @Test
    void aStatementThatTheServerDoesNotAcceptIsSentSingly() {
        List<Lease> held = acquire(3);
        fillTheRoom();
        here.store.next(RELEASE, request -> request.fail(StoreReply.FailureKind.REJECTED, "ValidationError"));

        releaseInOneTurn(held);

        assertThat(sizes()).containsExactly(3, 1, 1, 1);
        assertReleased(held);
    }

    @Test
    void deniedReleasesAlsoPauseTheBatchesOfRenewals() {
        List<Lease> held = acquire(3);
        List<Lease> others = IntStream.range(0, 3)
                .mapToObj(i -> here.acquire("renewed-" + i))
                .toList();
        fillTheRoom();
        here.store.always(RELEASE, denied());
        releaseInOneTurn(held);
        here.store.heal();
        here.store.verbs();
        assertThat(warnings()).as("releases that did not wait prove nothing").isZero();

        bench.advance(Bench.TTL.dividedBy(3).plus(SOON));

        assertThat(warnings()).isOne();
        assertThat(here.store.sent(ScriptedStore.Verb.RENEW)).hasSize(3).noneMatch(ScriptedStore.Request::isBatch);
        assertThat(others).allMatch(Lease::isValid);
    }
}
