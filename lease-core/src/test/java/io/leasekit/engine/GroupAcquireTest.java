package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A lease of several keys is acquired as one: all keys or none (protocol 5.1, 5.4, 5.5, 6). */
class GroupAcquireTest {

    private static final LeaseRequest BOTH = LeaseRequest.ofAll("b", "a");
    private static final Duration RETRIED = Duration.ofMillis(2_100);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    @Test
    void allKeysAreAcquiredByOneRequestWithOneTokenAndOneVersion() {
        Lease lease = here.acquire(BOTH);

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);
        assertThat(lease.keys()).containsExactly("a", "b");
        assertThat(lease.key()).isEqualTo("a");
        assertThat(bench.item("a").version()).isEqualTo(bench.item("b").version());
        assertThat(bench.item("a").expiry()).isEqualTo(bench.item("b").expiry());
        assertThat(bench.item("b").token()).isEqualTo(lease.fencingToken());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    /** Within the step that grants the first request, releases its lease and makes the second request. */
    private List<Optional<Lease>> releasedAndAskedForAgain(LeaseRequest first, LeaseRequest second) {
        List<Optional<Lease>> next = new ArrayList<>();
        here.store.next(ACQUIRE, LOST);
        here.leases.acquireAsync(first).thenAccept(lease -> {
            lease.orElseThrow().releaseAsync();
            here.leases.acquireAsync(second).thenAccept(next::add);
        });
        here.store.last(ACQUIRE).deliver();
        return next;
    }

    @Test
    void whoDoesNotWaitWaitsForAReleaseThatHasYetToBegin() {
        assertThat(releasedAndAskedForAgain(BOTH, BOTH)).hasSize(1).allMatch(Optional::isPresent);
    }

    @Test
    void aGroupWaitsForTheReleaseOfOneOfItsKeysThatHasYetToBegin() {
        assertThat(releasedAndAskedForAgain(LeaseRequest.of("a"), BOTH))
                .hasSize(1)
                .allMatch(Optional::isPresent);
    }

    @Test
    void oneKeyWaitsForTheReleaseOfItsGroupThatHasYetToBegin() {
        assertThat(releasedAndAskedForAgain(BOTH, LeaseRequest.of("a")))
                .hasSize(1)
                .allMatch(Optional::isPresent);
    }

    @Test
    void aLeaseOfOneKeyIsNoTransaction() {
        Lease lease = here.acquire(LeaseRequest.ofAll("a"));

        assertThat(here.store.last(ACQUIRE).command).isInstanceOf(AcquireCommand.class);
        assertThat(lease.keys()).containsExactly("a");
    }

    @Test
    void oneKeyThatAnotherHoldsRefusesAll() {
        Lease theirs = other.acquire("b");

        assertThat(here.tryAcquire(BOTH)).isEmpty();

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);
        assertThat(bench.isHeld("a")).isFalse();
        assertThat(theirs.isValid()).isTrue();
        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> here.leases.acquireAll("a", "b"))
                .withMessageStartingWith(
                        "Lease 'b' of 'a', 'b' is held by owner 'other' (token " + theirs.fencingToken())
                .satisfies(e -> assertThat(e.holder().orElseThrow().key()).isEqualTo("b"));
        assertThat(here.events).last().isInstanceOfSatisfying(LeaseEvent.Unavailable.class, unavailable -> {
            assertThat(unavailable.key()).isEqualTo("b");
            assertThat(unavailable.holder()).isNotNull();
        });
    }

    @Test
    void aSingleCallerIsRefusedByAGroupAndAGroupByAnother() {
        here.acquire(BOTH);

        assertThat(other.tryAcquire("a")).isEmpty();
        assertThat(other.tryAcquire("b")).isEmpty();
        assertThat(other.tryAcquire(LeaseRequest.ofAll("b", "c"))).isEmpty();
        assertThat(bench.table.item("c")).isEmpty();
        assertThat(here.tryAcquire("a")).isEmpty();
    }

    @Test
    void theTokenExceedsThoseOfAllKeys() {
        long large = (bench.time.now().toEpochMilli() + 3_600_000) * 2;
        bench.table.put(new LeaseItem("b", null, large, null, large, null, null, null));

        Lease lease = here.acquire(BOTH);

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, ACQUIRE);
        assertThat(lease.fencingToken()).isEqualTo(large + 1);
        assertThat(bench.item("a").token()).isEqualTo(large + 1);
    }

    @Test
    void deadHoldersOfSeveralKeysAreTakenOverTogether() {
        other.acquire("a");
        other.acquire("b");
        other.store.always(LOST);
        assertThat(here.tryAcquire(BOTH)).isEmpty();

        bench.advance(Bench.TTL.plusSeconds(7));
        Lease lease = here.acquire(BOTH);

        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void eachKeysVersionIsTakenOverOnceItWasSeenForSoLong() {
        // without a usable expiry, so they are taken over by observation only
        bench.table.put(new LeaseItem("a", "dead-a", null, null, null, null, null, null));
        bench.table.put(new LeaseItem("b", "dead-b", null, null, null, null, null, null));
        assertThat(here.tryAcquire(BOTH)).isEmpty();
        bench.advance(Duration.ofMinutes(4));
        assertThat(here.tryAcquire(BOTH)).isEmpty();

        bench.advance(Duration.ofMinutes(2));

        assertThat(here.tryAcquire(BOTH)).isPresent();
    }

    // ---- lost replies (5.5)

    @Test
    void whereTheReplyIsLostTheNextAttemptOverwritesItsOwnWrites() {
        here.store.next(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);
        assertThat(bench.isHeld("a")).isTrue();

        bench.advance(RETRIED);

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, ACQUIRE);
        bench.assertHeldFor(Duration.ofSeconds(30), acquiring.join().orElseThrow());
    }

    @Test
    void aCopyThatIsRefusedByItsOwnFirstCopyIsRecognised() {
        here.store.next(ACQUIRE, RESENT); // evaluated twice, as after DynamoDB forgot the ClientRequestToken

        Lease lease = here.acquire(BOTH);

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aRefusalThatShowsAnEarlierAttemptOnOneKeyIsAGrantOfAll() {
        here.store.next(ACQUIRE, request -> request.fail(StoreReply.FailureKind.UNKNOWN, "broken pipe"));
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);
        ScriptedStore.Request first = here.store.last(ACQUIRE);
        here.store.next(ACQUIRE, request -> {
            first.apply();
            request.answer(bench.refusedBy("b"));
        });

        bench.advance(Duration.ofMillis(100));

        Lease lease = acquiring.join().orElseThrow();
        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, ACQUIRE, RENEW);
        assertThat(lease.fencingToken()).isEqualTo(commands(first).get(0).token());
        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aRefusalThatShowsAnotherBesideOurOwnIsNoGrantAndOurOwnIsReleased() {
        here.store.next(ACQUIRE, request -> {
            request.apply();
            bench.table.put(
                    new LeaseItem("b", new UUID(0, 0) + "-00000001", 2_000_000_000L, null, 1L, null, null, null));
            request.answer(bench.refusedBy("a", "b"));
        });

        assertThat(here.tryAcquire(BOTH)).isEmpty();

        assertThat(bench.isHeld("a")).isFalse();
        assertThat(bench.item("b").version()).startsWith(new UUID(0, 0).toString());
    }

    @Test
    void anAcquireThatIsGivenUpReleasesAllKeys() {
        here.store.next(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);
        assertThat(bench.isHeld("b")).isTrue();

        acquiring.cancel(true);
        bench.advance(RETRIED);

        assertThat(bench.isHeld("a")).isFalse();
        assertThat(bench.isHeld("b")).isFalse();
        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, RELEASE);
    }

    @Test
    void anAcquireThatIsGivenUpAndRefusedReleasesNothing() {
        other.acquire("b");
        here.sample(2);
        ScriptedStore.Request[] pending = new ScriptedStore.Request[1];
        here.store.next(ACQUIRE, request -> pending[0] = request);
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);

        acquiring.cancel(true);
        pending[0].deliver();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    @Test
    void aConflictIsTriedAgainAndSomeOfThemInARowAreUnavailable() {
        here.store.next(ACQUIRE, conflict(), conflict());
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);
        bench.advance(Duration.ofSeconds(1));
        assertThat(acquiring.join()).isPresent();

        here.store.verbs();
        here.store.always(ACQUIRE, conflict());
        CompletableFuture<Optional<Lease>> refused = here.leases.acquireAsync(LeaseRequest.ofAll("c", "d"));
        bench.advance(Duration.ofMillis(400));

        assertThat(refused).isCompletedWithValue(Optional.empty());
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE, ACQUIRE);
        assertThat(here.events).last().isEqualTo(new LeaseEvent.Unavailable("c", null));
    }

    @Test
    void aGroupThatWaitsIsTriedAgainAfterConflictsUntilItsWaitIsOver() {
        here.store.always(ACQUIRE, conflict());
        LeaseRequest request = BOTH.waitFor(Duration.ofSeconds(20));
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(request);
        CompletableFuture<Optional<Lease>> inVain = here.leases.acquireAsync(BOTH.waitFor(Duration.ofSeconds(5)));
        bench.advance(Duration.ofSeconds(10));
        assertThat(waiting).isNotDone();
        assertThat(inVain).isCompletedWithValue(Optional.empty());

        here.store.heal();
        bench.advance(Duration.ofSeconds(2));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    /** After the store timeout, there is no time for another attempt. */
    @ParameterizedTest(name = "{0} s")
    @CsvSource({"3, true", "20, false"})
    void conflictsBetweenOtherAnswersAreNotInARow(int seconds, boolean isTriedAgain) {
        Lease theirs = other.acquire("a");
        here.store.next(ACQUIRE, conflict(), conflict());
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(BOTH.waitFor(Duration.ofSeconds(seconds)));
        bench.advance(Duration.ofSeconds(seconds).minusMillis(1));
        assertThat(here.store.sent(ACQUIRE)).hasSize(3);

        theirs.close();
        here.store.next(ACQUIRE, conflict());
        bench.advance(Duration.ofSeconds(1));

        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.isPresent() == isTriedAgain);
    }

    @Test
    void aGroupThatGivesUpAfterConflictsReleasesWhatALostReplyMayHaveLeft() {
        here.store.next(ACQUIRE, REPLY_LOST, conflict(), conflict(), conflict());
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);
        assertThat(bench.isHeld("a")).isTrue();

        bench.advance(RETRIED.plusSeconds(2));

        assertThat(acquiring).isCompletedWithValue(Optional.empty());
        assertThat(bench.isHeld("a")).isFalse();
    }

    private static Consumer<ScriptedStore.Request> conflict() {
        return request -> request.fail(StoreReply.FailureKind.CONFLICT, "conflict");
    }

    @Test
    void whatIsThrottledIsTriedAgainAndNeverUnavailable() {
        here.store.next(ACQUIRE, ScriptedStore.refused("conflict"), ScriptedStore.refused("conflict"));
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(BOTH);

        bench.advance(Duration.ofSeconds(3));
        assertThat(acquiring.join()).isPresent();

        here.store.always(ACQUIRE, ScriptedStore.refused("conflict"));
        CompletableFuture<Optional<Lease>> failing = here.leases.acquireAsync(LeaseRequest.ofAll("c", "d"));
        bench.advance(Duration.ofMinutes(1));
        assertThatThrownBy(failing::join)
                .hasCauseInstanceOf(LeaseStoreException.class)
                .hasRootCauseMessage("conflict")
                .hasMessageContaining("Lease 'c', 'd' in table 'scripted': conflict");
    }

    // ---- keys of a group

    @Test
    void keysAreCheckedEachAndTogether() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll())
                .withMessage("Lease of 0 keys, expected from 1 to 100: DynamoDB writes no more in one transaction");
        List<String> many =
                IntStream.rangeClosed(1, 101).mapToObj(i -> "key-" + i).toList();
        assertThat(LeaseRequest.ofAll(many.subList(0, 100)).keys()).hasSize(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll(many))
                .withMessage("Lease of 101 keys, expected from 1 to 100: DynamoDB writes no more in one transaction");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll("a", "b", "a"))
                .withMessage("Lease key 'a' is named twice, expected each key once");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll("a", " "))
                .withMessage("Lease key is blank, expected a text with a visible character");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll("a", null))
                .withMessage("Lease key is null, expected a text with a visible character");
    }

    @Test
    void textsNameAllKeysOrTheFirstOfThem() {
        assertThat(BOTH.toString()).startsWith("LeaseRequest[keys=['a', 'b'], ");
        assertThat(here.acquire(BOTH).toString()).startsWith("Lease[keys='a', 'b', owner='here'");
        assertThat(here.acquire(LeaseRequest.ofAll("k", "m", "l", "o", "n")).toString())
                .startsWith("Lease[keys='k', 'l', 'm' and 2 more, ");
    }

    @Test
    void eachKeyHasItsEvents() {
        Lease lease = here.acquire(BOTH);
        lease.close();

        assertThat(here.events)
                .containsExactly(
                        new LeaseEvent.Acquired("a", "here", lease.fencingToken()),
                        new LeaseEvent.Acquired("b", "here", lease.fencingToken()),
                        new LeaseEvent.Released("a", "here", lease.fencingToken(), Duration.ZERO),
                        new LeaseEvent.Released("b", "here", lease.fencingToken(), Duration.ZERO));
    }

    @Test
    void aWriteOfTheUsersIsGuardedByOneCheckForEachKey() {
        Lease lease = here.acquire(BOTH);

        assertThat(lease.conditionChecks()).hasSize(2);
        assertThatIllegalStateException()
                .isThrownBy(lease::conditionCheck)
                .withMessage("Lease 'a', 'b' has 2 keys, and one check does not cover them: call conditionChecks()");
        assertThat(here.acquire("c").conditionChecks()).hasSize(1);
        lease.close();
        assertThatExceptionOfType(LeaseException.class).isThrownBy(lease::conditionChecks);
    }

    private static List<AcquireCommand> commands(ScriptedStore.Request request) {
        return ((StoreRequest.Transaction) request.command)
                .commands().stream().map(AcquireCommand.class::cast).toList();
    }
}
