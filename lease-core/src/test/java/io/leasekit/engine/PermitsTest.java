package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.MARK;
import static io.leasekit.engine.ScriptedStore.Verb.READ_EACH;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** At most N callers hold a key at once, and each of them has a slot (protocol 6.6). */
class PermitsTest {

    private static final LeaseRequest TWO = LeaseRequest.of("key").permits(2);
    private static final LeaseRequest WAITING = TWO.waitFor(Duration.ofHours(1));
    private static final Duration LOOK = Duration.ofMillis(1_300);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    // ---- slots

    @Test
    void aFreePermitCostsOneWriteAndItsReleaseAnother() {
        here.sample(3);

        here.acquire(TWO).close();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, RELEASE);
    }

    @Test
    void atMostSoManyHoldTheKeyAtOnceEachWithASlotOfItsOwn() {
        Lease first = here.acquire(TWO);
        Lease second = other.acquire(TWO);

        assertThat(List.of(first.slot(), second.slot())).containsExactlyInAnyOrder(0, 1);
        assertThat(here.tryAcquire(TWO)).isEmpty();
        assertThat(other.tryAcquire(TWO)).isEmpty();
        assertThat(bench.start("third").tryAcquire(TWO)).isEmpty();
    }

    /** It is not known whether the permits are taken. */
    @Test
    void inAnOutageNobodyIsToldThatAllPermitsAreTaken() {
        here.store.always(LOST);
        List<CompletableFuture<Optional<Lease>>> calls =
                Stream.generate(() -> here.leases.acquireAsync(TWO)).limit(5).toList();

        bench.advance(Duration.ofSeconds(20));

        assertThat(calls)
                .allSatisfy(call -> assertThat(call)
                        .isCompletedExceptionally()
                        .failsWithin(Duration.ZERO)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LeaseStoreException.class));
    }

    @Test
    void aLookThatFailedLongAgoIsNoReasonForAnError() {
        Lease first = here.acquire(TWO);
        Lease second = other.acquire(TWO);
        here.store.always(READ_EACH, LOST);
        CompletableFuture<Optional<Lease>> failed = here.leases.acquireAsync(TWO.waitFor(Duration.ofSeconds(1)));
        bench.advance(Duration.ofSeconds(20));
        assertThat(failed).isCompletedExceptionally();
        here.store.heal();
        second.close();
        here.acquire(TWO);
        assertThat(first.isValid()).isTrue();

        CompletableFuture<Optional<Lease>> late = here.leases.acquireAsync(TWO.waitFor(Duration.ofSeconds(5)));
        bench.advance(Duration.ofSeconds(20));

        assertThat(late.join()).isEmpty();
    }

    /** The store has answered since, so nobody waits for the end of a backoff. */
    @Test
    void looksThatFailedLongAgoDelayNoAnswer() {
        LeaseRequest three = LeaseRequest.of("key").permits(3);
        here.acquire(three);
        other.acquire(three);
        other.acquire(three);
        here.store.always(READ_EACH, LOST);
        here.leases.acquireAsync(three.waitFor(Duration.ofSeconds(20)));
        bench.advance(Duration.ofSeconds(30));
        here.store.heal();

        CompletableFuture<Optional<Lease>> late = here.leases.acquireAsync(three);

        assertThat(late).isCompletedWithValue(Optional.empty());
    }

    @Test
    void callersThatOthersOutranKeepTheirOrder() {
        List<Lease> theirs = List.of(other.acquire(TWO), other.acquire(TWO));
        CompletableFuture<Optional<Lease>> first = here.leases.acquireAsync(WAITING);
        CompletableFuture<Optional<Lease>> second = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofMinutes(1));
        here.store.next(ACQUIRE, this::lateForItsSlot, this::lateForItsSlot);
        theirs.forEach(Lease::close);
        bench.advance(Duration.ofSeconds(5));
        assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);

        bench.table.remove("key#permit=0");
        bench.advance(LOOK);

        assertThat(first).isDone();
        assertThat(second).isNotDone();
    }

    @Test
    void aRefusalNamesNoLeaseOfThisProcessAsThatOfAnother() {
        List<Lease> both = List.of(here.acquire(TWO), here.acquire(TWO));
        both.stream().filter(lease -> lease.slot() == 1).forEach(Lease::close); // so the first slot is held here
        other.acquire(TWO);

        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> here.leases.acquire(TWO))
                .satisfies(refused -> assertThat(refused.holder())
                        .hasValueSatisfying(holder -> assertThat(holder.owner()).isEqualTo("other")));
    }

    @Test
    void inAFullQueueACallerThatDoesNotWaitIsRefused() {
        Bench.Node one = bench.start("one", builder -> builder.maxWaitersPerKey(1));
        LeaseRequest only = LeaseRequest.of("only").permits(1);
        one.acquire(only);
        one.leases.acquireAsync(only.waitFor(Duration.ofHours(1)));

        assertThat(one.tryAcquire(only)).isEmpty();
    }

    /** As for a key: what leaves is no reason to refuse anybody (6.1). */
    @Test
    void aCallerThatDoesNotWaitIsNotRefusedWhileAPermitOfItsProcessIsBeingReleased() {
        Lease ending = here.acquire(TWO);
        other.acquire(TWO);
        here.store.next(RELEASE, LOST);
        ending.releaseAsync();

        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(TWO);
        bench.advance(Duration.ofSeconds(10));

        assertThat(next.join()).isPresent();
    }

    @Test
    void theLeaseHasTheKeyOfTheRequestAndTheItemThatOfTheSlot() {
        Lease lease = here.acquire(TWO);

        assertThat(lease.key()).isEqualTo("key");
        assertThat(bench.isHeld("key#permit=" + lease.slot())).isTrue();
        assertThat(lease.fence().key()).isEqualTo("key#permit=" + lease.slot());
        assertThat(here.leases.held()).singleElement().satisfies(held -> {
            assertThat(held.key()).isEqualTo("key");
            assertThat(held.permits()).isEqualTo(2);
            assertThat(held.slot()).isEqualTo(lease.slot());
        });
    }

    @Test
    void theTableShowsTheNumberOfPermitsByTheKeyOfASlot() {
        Lease lease = here.acquire(TWO);

        assertThat(other.leases.find("key#permit=" + lease.slot())).hasValueSatisfying(found -> {
            assertThat(found.permits()).isEqualTo(2);
            assertThat(found.fencingToken()).isEqualTo(lease.fencingToken());
        });
        assertThat(other.leases.find("key")).isEmpty();
    }

    @Test
    void aForcedReleaseOfASlotEndsItsLease() {
        Lease lease = here.acquire(TWO);

        ((LeaseEngine) other.leases).forceReleaseAsync("key#permit=" + lease.slot(), lease.fencingToken(), false);
        bench.advance(Bench.TTL);

        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aKeptPermitRefusesCallersOfItsProcessWithoutARequest() {
        LeaseRequest one = TWO.permitsPerNode(1);
        Lease lease = here.acquire(one);
        lease.release(Duration.ofSeconds(2));
        here.store.verbs();

        assertThat(here.tryAcquire(one)).isEmpty();
        assertThat(here.store.verbs()).isEmpty();

        bench.advance(Duration.ofSeconds(3));
        assertThat(here.tryAcquire(one)).isPresent();
    }

    @Test
    void aPermitIsRenewed() {
        Lease lease = here.acquire(TWO);

        bench.advance(Bench.TTL.multipliedBy(5));

        assertThat(lease.isValid()).isTrue();
        assertThat(here.store.verbs()).contains(RENEW);
    }

    @Test
    void theSlotLastUsedIsAskedForAgain() {
        Lease first = here.acquire(TWO);
        first.close();

        for (int i = 0; i < 5; i++) {
            Lease next = here.acquire(TWO);
            assertThat(next.slot()).isEqualTo(first.slot());
            assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
            next.close();
        }
    }

    @Test
    void aSlotThatAnotherHasCostsTwoWritesAndOneRead() {
        Lease mine = here.acquire(TWO);
        mine.close();
        Lease others = occupy(mine.slot());
        here.store.verbs();

        Lease lease = here.acquire(TWO);

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, READ_EACH, ACQUIRE);
        assertThat(lease.slot()).isNotEqualTo(others.slot());
    }

    /** Has the other process hold this slot. */
    private Lease occupy(int slot) {
        Lease lease = other.acquire(TWO);
        if (lease.slot() == slot) {
            return lease;
        }
        Lease right = other.acquire(TWO);
        lease.close();
        return right;
    }

    @Test
    void aLostRaceCostsOneWriteAndOneReadMore() {
        other.acquire(TWO);
        here.sample(3);
        here.store.next(ACQUIRE, this::lateForItsSlot, this::lateForItsSlot);

        assertThat(here.tryAcquire(LeaseRequest.of("key").permits(4))).isPresent();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, READ_EACH, ACQUIRE, READ_EACH, ACQUIRE);
    }

    /** Another process takes the slot just before. */
    private void lateForItsSlot(ScriptedStore.Request request) {
        String slot = ((AcquireCommand) request.command).key();
        if (!bench.isHeld(slot)) {
            long expiry = bench.time.now().getEpochSecond() + 60;
            String version = UUID.randomUUID() + "-00000001";
            bench.table.put(new LeaseItem(slot, version, expiry, 60_000L, 1L, "third", 1L, null));
        }
        request.deliver();
    }

    @Test
    void whoDoesNotWaitIsRefusedAfterOneWriteAndOneRead() {
        other.acquire(TWO);
        other.acquire(TWO);
        here.sample(3);

        assertThat(here.tryAcquire(TWO)).isEmpty();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, READ_EACH);
        assertThat(here.events)
                .singleElement()
                .satisfies(event ->
                        assertThat(((LeaseEvent.Unavailable) event).key()).isEqualTo("key"));
        assertThatExceptionOfType(LeaseUnavailableException.class).isThrownBy(() -> here.leases.acquire(TWO));
    }

    @Test
    void aCrashedHoldersSlotIsUsedAgain() {
        here.acquire(TWO);
        Lease crashed = other.acquire(TWO);
        other.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(5));

        Lease next = here.acquire(TWO);

        assertThat(crashed.isValid()).isFalse();
        assertThat(next.slot()).isEqualTo(crashed.slot());
        assertThat(next.fencingToken()).isGreaterThan(crashed.fencingToken());
    }

    @Test
    void slotsThatWereNotReadAreReadAgainBeforeTheCallerIsRefused() {
        Lease mine = here.acquire(TWO);
        mine.close();
        Lease others = occupy(mine.slot());
        here.store.next(READ_EACH, PermitsTest::readsOnlyWhatIsHeld);
        here.store.verbs();

        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(TWO);
        assertThat(acquiring).isNotDone();
        bench.advance(Duration.ofSeconds(1));

        assertThat(acquiring.join().orElseThrow().slot()).isNotEqualTo(others.slot());
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, READ_EACH, READ_EACH, ACQUIRE);
    }

    /** Answers as DynamoDB does if it throttles a part of the read. */
    private static void readsOnlyWhatIsHeld(ScriptedStore.Request request) {
        StoreReply.FoundEach all = (StoreReply.FoundEach) request.apply();
        List<String> unread = new ArrayList<>(request.keys());
        List<LeaseItem> held =
                all.items().stream().filter(item -> item.version() != null).toList();
        held.forEach(item -> unread.remove(item.key()));
        request.answer(new StoreReply.FoundEach(held, unread, List.of(), all.date(), null));
    }

    @Test
    void slotsWhoseItemsAreMalformedCountAsHeld() {
        Lease mine = here.acquire(TWO);
        mine.close();
        occupy(mine.slot());
        here.store.next(
                READ_EACH,
                request -> request.answer(
                        new StoreReply.FoundEach(List.of(), List.of(), request.keys(), bench.time.now(), null)));

        assertThat(here.tryAcquire(TWO)).isEmpty();
        assertThat(here.acquire(TWO).slot()).isNotEqualTo(mine.slot());
    }

    @Test
    void slotsThatAreNeverReadAreAFailureOfTheStore() {
        Lease mine = here.acquire(TWO);
        mine.close();
        occupy(mine.slot());
        here.store.always(READ_EACH, PermitsTest::readsOnlyWhatIsHeld);
        here.store.verbs();

        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(TWO);
        bench.advance(Duration.ofSeconds(9));

        assertThat(acquiring)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LeaseStoreException.class)
                .withMessage("Lease 'key' in table 'scripted': Store read 1 of 2 slots");
        assertThat(here.store.verbs()).as("looks with a backoff").hasSizeLessThan(25);
    }

    @Test
    void processesThatNameDifferentNumbersHoldAtMostTheLargest() {
        LeaseRequest three = LeaseRequest.of("key").permits(3);
        Lease only = other.acquire(LeaseRequest.of("key").permits(1));

        assertThat(List.of(here.acquire(three).slot(), here.acquire(three).slot()))
                .containsExactlyInAnyOrder(1, 2);

        assertThat(only.slot()).isZero();
        assertThat(here.tryAcquire(three)).isEmpty();
        assertThat(other.tryAcquire(LeaseRequest.of("key").permits(2))).isEmpty();
    }

    @Test
    void measurementsTellThePermitsOfAKeyApart() {
        List<LeaseMeasurement.LeaseBegan> begun = new ArrayList<>();
        Bench.Node measured = bench.start(
                "measured",
                builder -> builder.monitor(measurement -> {
                    if (measurement instanceof LeaseMeasurement.LeaseBegan lease) {
                        begun.add(lease);
                    }
                }));

        measured.acquire(TWO.named("export"));
        measured.acquire(TWO.named("export"));

        assertThat(begun)
                .extracting(LeaseMeasurement.LeaseBegan::key)
                .containsExactlyInAnyOrder("key#permit=0", "key#permit=1");
        assertThat(begun).extracting(LeaseMeasurement.LeaseBegan::name).containsOnly("export");
    }

    // ---- permits per node

    @Test
    void aNodeTakesNoMoreThanItsPart() {
        LeaseRequest one = TWO.permitsPerNode(1);
        here.acquire(one);
        here.store.verbs();

        assertThat(here.tryAcquire(one)).isEmpty();

        assertThat(here.store.verbs()).isEmpty();
        assertThat(other.tryAcquire(one)).isPresent();
    }

    @Test
    void aRefusalByThePartOfTheNodeNamesNoHolderOfHoursAgo() {
        LeaseRequest one = LeaseRequest.of("key").permits(3).permitsPerNode(1);
        Lease first = here.acquire(one);
        first.close();
        List<Lease> theirs = Stream.generate(() -> other.acquire(one.permitsPerNode(3)))
                .limit(3)
                .toList();
        theirs.stream()
                .filter(lease -> lease.slot() != first.slot())
                .findFirst()
                .ifPresent(Lease::close);
        Lease second = here.acquire(one); // asks for its first slot again, so it looks
        theirs.forEach(Lease::close);
        bench.advance(Duration.ofHours(3));
        assertThat(second.isValid()).isTrue();

        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> here.leases.acquire(one))
                .withMessageStartingWith("Lease 'key' is not available: this process holds 1 of at most 1 per node, ")
                .satisfies(refused -> assertThat(refused.holder()).isEmpty());
        assertThat(here.events)
                .last()
                .isInstanceOfSatisfying(
                        LeaseEvent.Unavailable.class,
                        event -> assertThat(event.holder()).isNull());
    }

    @Test
    void aCallerBeyondThePartOfItsNodeWaitsWithoutARequest() {
        LeaseRequest one = WAITING.permitsPerNode(1);
        Lease lease = here.acquire(one);
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(one);
        here.store.verbs();

        bench.advance(Duration.ofSeconds(2));
        assertThat(here.store.verbs()).isEmpty();
        lease.close();

        assertThat(next.join()).isPresent();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    // ---- waiting

    @Test
    void aReleasedSlotIsHandedOverByOneWrite() {
        Lease first = here.acquire(TWO);
        here.acquire(TWO);
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(WAITING);
        here.store.verbs();

        first.close();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
        assertThat(next.join().orElseThrow().slot()).isEqualTo(first.slot());
        bench.advance(Bench.TTL.multipliedBy(2));
        assertThat(next.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    void aHandOverWhoseReplyWasLostIsTriedAgain() {
        Lease first = here.acquire(TWO);
        here.acquire(TWO);
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(WAITING);
        here.store.next(ACQUIRE, REPLY_LOST);

        first.releaseAsync();
        bench.advance(Duration.ofSeconds(3));

        assertThat(next.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    void aWaiterGetsASlotThatAnotherProcessReleases() {
        Lease first = other.acquire(TWO);
        other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofSeconds(5));
        assertThat(waiter).isNotDone();

        first.close();
        bench.advance(LOOK);

        assertThat(waiter.join().orElseThrow().slot()).isEqualTo(first.slot());
    }

    @Test
    void aWaiterGetsTheSlotOfACrashedProcess() {
        Lease first = other.acquire(TWO);
        other.acquire(TWO);
        other.store.always(LOST);
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);

        bench.advance(Bench.TTL.plusSeconds(4));

        assertThat(waiter).isDone();
        assertThat(first.isValid()).isFalse();
    }

    @Test
    void waitingCostsAtMostOneRequestASecondFromTheThirdSecondOn() {
        other.acquire(TWO);
        other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        here.leases.acquireAsync(WAITING);
        bench.advance(Duration.ofSeconds(2));
        here.store.verbs();

        bench.advance(Duration.ofSeconds(30));

        assertThat(here.store.verbs()).hasSizeBetween(20, 30).containsOnly(READ_EACH);
        assertThat(waiter).isNotDone();
    }

    @Test
    void oneLookServesAllWaiters() {
        Lease first = other.acquire(TWO);
        Lease second = other.acquire(TWO);
        List<CompletableFuture<Optional<Lease>>> waiters = Stream.generate(() -> here.leases.acquireAsync(WAITING))
                .limit(3)
                .toList();
        bench.advance(Duration.ofSeconds(3));
        here.store.verbs();
        first.close();
        second.close();

        bench.advance(LOOK);

        assertThat(here.store.verbs()).startsWith(READ_EACH, ACQUIRE, ACQUIRE);
        assertThat(waiters.stream().filter(CompletableFuture::isDone)).hasSize(2);
    }

    /** Nothing but delays depends on the names of owners, so these may be equal. */
    @ParameterizedTest
    @ValueSource(strings = {"third", "other"})
    void aWaiterOfAnotherProcessGetsASlotAfterARunOfHandOvers(String name) {
        Bench.Node third = bench.start(name);
        Lease current = other.acquire(TWO);
        other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = third.leases.acquireAsync(WAITING);
        int handOvers = 0;
        while (!waiter.isDone() && handOvers < 60) {
            CompletableFuture<Optional<Lease>> next = other.leases.acquireAsync(WAITING);
            bench.advance(Duration.ofMillis(500));
            current.close();
            if (!next.isDone()) {
                bench.advance(LOOK); // the waiters of that process stand back for longer
                break;
            }
            current = next.join().orElseThrow();
            handOvers++;
        }

        assertThat(waiter).isDone();
        assertThat(handOvers).isBetween(16, 30);
        assertThat(third.store.verbs()).containsOnlyOnce(MARK);
    }

    @Test
    void aRefusalNamesTheHolderThoughItsProcessHasTheSameName() {
        other.acquire(TWO);
        other.acquire(TWO);
        Bench.Node namesake = bench.start("other");

        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> namesake.leases.acquire(TWO))
                .satisfies(refused -> assertThat(refused.holder()).isPresent());
    }

    @Test
    void aWaitEnds() {
        other.acquire(TWO);
        other.acquire(TWO);

        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(TWO.waitFor(Duration.ofSeconds(3)));
        bench.advance(Duration.ofMillis(2_999));
        assertThat(waiter).isNotDone();
        bench.advance(Duration.ofMillis(1));

        assertThat(waiter.join()).isEmpty();
        assertThat(here.leases.waiting()).isEmpty();
    }

    /** The wait ends before the nanoseconds wrap, and its last look would be awaited until after that. */
    @Test
    void aWaitThatEndsAtAWrapOfTheNanosecondsGetsItsLastLook() {
        Bench.Node patient = bench.start("patient", builder -> builder.storeTimeout(Duration.ofSeconds(1)));
        Lease first = other.acquire(TWO);
        other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = patient.leases.acquireAsync(TWO.waitFor(Duration.ofMillis(1_500)));
        bench.advance(Duration.ofMillis(1_490));

        first.close();
        bench.advance(Duration.ofMillis(100));

        assertThat(waiter.join()).isPresent();
    }

    @Test
    void aWaitThatEndsWhileAPermitIsHandedOverHasAnAnswer() {
        Lease first = here.acquire(TWO);
        here.acquire(TWO);
        here.leases.acquireAsync(WAITING);
        CompletableFuture<Optional<Lease>> last = here.leases.acquireAsync(TWO.waitFor(Duration.ofSeconds(30)));
        bench.advance(Duration.ofMillis(29_990));
        here.store.next(ACQUIRE, LOST);
        first.releaseAsync();

        bench.advance(Duration.ofMillis(10));

        assertThat(last).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aCallHasOneStoreTimeoutHoweverManySlotsItAsksFor() {
        List<Lease> theirs = List.of(other.acquire(TWO), other.acquire(TWO));
        here.sample(2);
        here.store.always(ACQUIRE, refused("throttled"));
        CompletableFuture<Optional<Lease>> asking = here.leases.acquireAsync(TWO);
        bench.advance(Duration.ofMillis(4_900));
        String asked = here.store.last(ACQUIRE).keys().get(0);
        here.store.next(ACQUIRE, ScriptedStore.Request::deliver); // refused, because the slot is held
        theirs.stream()
                .filter(lease -> !bench.item(asked)
                        .version()
                        .startsWith(((HeldLease) lease).tenure().toString()))
                .forEach(Lease::close);

        bench.advance(Duration.ofMillis(1_100));
        assertThat(here.store.last(ACQUIRE).keys()).doesNotContain(asked);
        assertThat(asking).isCompletedExceptionally();
    }

    @Test
    void aCancelledWaiterLeavesTheSlotToTheNext() {
        Lease first = here.acquire(TWO);
        here.acquire(TWO);
        CompletableFuture<Optional<Lease>> cancelled = here.leases.acquireAsync(WAITING);
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(WAITING);

        cancelled.cancel(false);
        first.close();

        assertThat(next.join()).isPresent();
    }

    @Test
    void anAcquireThatIsCancelledWithoutAReplyGivesTheSlotBack() {
        here.sample(3);
        here.store.next(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(TWO);

        acquiring.cancel(false);
        bench.advance(Duration.ofSeconds(5));

        assertThat(bench.isHeld("key#permit=0")).isFalse();
        assertThat(bench.isHeld("key#permit=1")).isFalse();
    }

    @Test
    void aStaleLookDoesNotRefuseALaterCaller() {
        Lease first = other.acquire(TWO);
        other.acquire(TWO);
        here.store.next(READ_EACH, LOST);
        CompletableFuture<Optional<Lease>> earlier = here.leases.acquireAsync(TWO);
        ScriptedStore.Request look = here.store.last(READ_EACH);
        StoreReply stale = look.apply();
        bench.advance(Duration.ofMillis(1));
        first.close();
        CompletableFuture<Optional<Lease>> later = here.leases.acquireAsync(TWO);

        look.answer(stale);

        assertThat(earlier.isDone() && earlier.join().isEmpty()).isTrue();
        assertThat(later.join()).isPresent();
    }

    // ---- failures and the end

    @Test
    void aWaiterOutlastsAFailingStore() {
        other.acquire(TWO);
        Lease second = other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        here.store.always(LOST);
        bench.advance(Duration.ofMinutes(1));
        assertThat(waiter).isNotDone();

        here.store.heal();
        second.close();
        bench.advance(Duration.ofSeconds(5));

        assertThat(waiter.join()).isPresent();
    }

    @Test
    void whoDoesNotWaitFailsAfterTheStoreTimeout() {
        here.sample(3);
        here.store.always(LOST);

        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(TWO);
        bench.advance(Duration.ofSeconds(9));

        assertThat(acquiring)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseStoreException.class);
    }

    @Test
    void aLostPermitLeavesItsSlotToOthers() {
        Lease lost = here.acquire(TWO);
        other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);
        here.store.always(LOST);
        bench.advance(Bench.TTL);
        assertThat(lost.isValid()).isFalse();
        here.store.heal();

        bench.advance(Bench.TTL);
        lost.close();
        bench.advance(Bench.TTL);

        assertThat(waiter.join().orElseThrow().slot()).isEqualTo(lost.slot());
        assertThat(waiter.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    void closingTheManagerEndsItsWaiters() {
        other.acquire(TWO);
        other.acquire(TWO);
        CompletableFuture<Optional<Lease>> waiter = here.leases.acquireAsync(WAITING);

        here.leases.closeAsync();

        assertThat(waiter).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LeaseException.class);
    }
}
