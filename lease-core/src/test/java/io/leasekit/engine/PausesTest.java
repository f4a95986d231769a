package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.READ_EACH;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeasePause;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.LeaseWait;
import io.leasekit.OnceOrder;
import io.leasekit.internal.AcquireRefusal;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.PauseCommand;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pauses keep all callers from a key, and leave its holders alone (protocol 5.11). */
class PausesTest {

    private static final LeaseRequest PERMIT = LeaseRequest.of("key").permits(2);
    private static final Duration EFFECT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration END_KNOWN = Duration.ofSeconds(3); // the uncertainty of the clock

    @RegisterExtension
    final LogLines log = new LogLines("io.leasekit.pause");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.pauses(true));
    private final Bench.Node other = bench.start("other", builder -> builder.pauses(true));

    private Instant in(Duration duration) {
        return bench.time.now().plus(duration);
    }

    private LeasePause pause(String keyOrPrefix) {
        return other.leases.pauses().pause(keyOrPrefix, in(LONG), "migration", "anna");
    }

    // ---- effect

    @Test
    void aPausedKeyIsGrantedToNobodyAndTheErrorSaysByWhomAndWhy() {
        LeasePause pause = pause("key");

        assertThat(here.tryAcquire("key")).isEmpty();
        assertThat(other.tryAcquire("key")).isEmpty();
        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> here.leases.acquire("key"))
                .withMessage("Lease 'key' is paused until " + pause.until() + " by 'anna' ('migration'), waited 0 s")
                .satisfies(unavailable -> {
                    assertThat(unavailable.pause()).contains(pause);
                    assertThat(unavailable.holder()).isEmpty();
                });
        here.acquire("another");
    }

    @Test
    void aPauseTakesEffectInOtherProcessesWithinFiveSeconds() {
        here.acquire("another");
        pause("key");

        bench.advance(EFFECT.minusNanos(1));
        here.acquire("key").close();
        bench.advance(Duration.ofNanos(1));

        assertThat(here.tryAcquire("key")).isEmpty();
    }

    @Test
    void aPauseEndsByItselfNotBeforeItsTime() {
        other.leases.pause("key", in(Duration.ofSeconds(20)), "short");

        bench.advance(Duration.ofSeconds(20).minusMillis(1));
        assertThat(here.tryAcquire("key")).isEmpty();
        bench.advance(END_KNOWN);

        here.acquire("key");
        assertThat(here.leases.pauses().list()).isEmpty();
    }

    @Test
    void theEndIsThatOfTheTablesClock() {
        Bench.Node early = bench.start(
                "early", builder -> builder.pauses(true), machine -> machine.jumpWallClock(Duration.ofHours(-1)));
        Bench.Node late = bench.start(
                "late", builder -> builder.pauses(true), machine -> machine.jumpWallClock(Duration.ofHours(1)));
        other.leases.pauses().pause("key", in(Duration.ofMinutes(1)), "short");

        assertThat(late.tryAcquire("key")).isEmpty();
        bench.advance(Duration.ofMinutes(1).plus(END_KNOWN));

        early.acquire("key");
    }

    @Test
    void aPrefixPausesAllKeysThatBeginWithIt() {
        pause("reports/*");

        assertThat(here.tryAcquire("reports/daily")).isEmpty();
        here.acquire("report");
        pause("*");
        bench.advance(EFFECT);
        assertThat(here.tryAcquire("any")).isEmpty();
    }

    @Test
    void aLeaseOfSeveralKeysIsPausedWithAnyOfThem() {
        pause("b");

        assertThat(here.tryAcquire(LeaseRequest.ofAll(List.of("a", "b")))).isEmpty();

        assertThat(bench.table.item("a")).isEmpty();
        here.acquire("a");
    }

    @Test
    void aRunIsNotBegunWhileItsKeyIsPaused() {
        pause("key");

        assertThat(here.tryAcquire(LeaseRequest.of("key").once("slot", OnceOrder.ANY)))
                .isEmpty();
        assertThat(here.tryAcquire(LeaseRequest.of("key").once("slot"))).isEmpty();
    }

    @Test
    void aHolderGoesOn() {
        Lease lease = here.acquire("key");
        pause("key");

        bench.assertHeldFor(Duration.ofMinutes(1), lease);
        lease.close();

        assertThat(here.tryAcquire("key")).isEmpty();
    }

    // ---- waiting

    @Test
    void aWaiterWaitsUntilThePauseEnds() {
        other.leases.pauses().pause("key", in(Duration.ofSeconds(32)), "short");
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");

        bench.advance(Duration.ofSeconds(32).minusMillis(1));
        assertThat(waiting).isNotDone();
        bench.advance(END_KNOWN);

        assertThat(waiting.join()).isPresent();
    }

    @Test
    void aWaiterGoesOnWithinFiveSecondsAfterThePauseWasLifted() {
        LeasePause pause = pause("key");
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");
        bench.advance(Duration.ofMinutes(1));

        assertThat(other.leases.pauses().resume("key")).contains(pause);
        bench.advance(EFFECT);

        assertThat(waiting.join()).isPresent();
    }

    /** The pauses were read just before the resume, and the waiter came when that read was almost 5 s old. */
    @Test
    void aWaiterGoesOnWithinFiveSecondsAfterTheResumeWhateverTheAgeOfThePausesWas() {
        pause("key");
        here.acquire("another");
        other.leases.pauses().resume("key");
        bench.advance(EFFECT.minusMillis(1));
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");
        assertThat(waiting).as("rests on the pauses read last").isNotDone();

        bench.advance(Duration.ofMillis(1));

        assertThat(waiting).isDone();
        assertThat(waiting.join()).isPresent();
    }

    @Test
    void waitersReadThePausesOnceInFiveSeconds() {
        pause("key");
        for (int waiter = 0; waiter < 10; waiter++) {
            var unused = here.waiting("key");
            var another = here.leases.acquireAsync(
                    LeaseRequest.ofAll(List.of("key", "w" + waiter)).waitFor(LeaseRequest.UNLIMITED));
            bench.advance(Duration.ofMillis(700));
        }
        int reads = here.store.sent(READ).size();

        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.sent(READ)).hasSize(reads + 12);
    }

    @Test
    void aWaitEndsWithThePause() {
        pause("key");
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(12)));

        bench.advance(Duration.ofSeconds(12).minusMillis(1));
        assertThat(waiting).isNotDone();
        bench.advance(Duration.ofMillis(1));

        assertThat(waiting.join()).isEmpty();
        assertThat(pauseOf(waiting)).isPresent();
    }

    /** The reads are sent after 0, 5 and, at the end of the wait, 10 s, and their replies take 10 ms. */
    @Test
    void aWaitThatEndsWithAReadOfThePausesNamesThePause() {
        pause("key");
        here.store.always(READ, request -> bench.time.schedule(10 * EngineTime.MILLI, request::deliver));
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(10)));

        bench.advance(Duration.ofSeconds(11));

        assertThat(waiting.join()).isEmpty();
        assertThat(pauseOf(waiting)).isPresent();
    }

    private static Optional<LeasePause> pauseOf(CompletableFuture<?> acquire) {
        RuntimeException refusal = ((AcquireRefusal) acquire).refusal();
        return ((LeaseUnavailableException) refusal).pause();
    }

    @Test
    void aWaiterOfAHeldLeaseDoesNotGetItDuringAPause() {
        Lease lease = other.acquire("key");
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");
        bench.advance(Duration.ofSeconds(10));
        pause("key");
        bench.advance(EFFECT);

        lease.close();
        bench.advance(Duration.ofMinutes(1));

        assertThat(waiting).isNotDone();
        other.leases.pauses().resume("key");
        bench.advance(EFFECT);
        assertThat(waiting.join()).isPresent();
    }

    @Test
    void aCallerThatDoesNotWaitIsRefusedAtOnceBehindOneThatDoes() {
        pause("key");
        here.waiting("key");

        CompletableFuture<Optional<Lease>> refused = here.acquiring("key");

        assertThat(refused).isDone();
        assertThat(pauseOf(refused)).isPresent();
    }

    @Test
    void aCallThatWaitsForAPauseCanBeGivenUp() {
        pause("key");
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");

        waiting.cancel(true);
        here.store.verbs();
        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.verbs()).isEmpty();
    }

    // ---- hand-overs

    @Test
    void aHandOverToAPausedKeyIsARelease() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        pause("key");
        bench.advance(EFFECT);

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();

        assertThat(released).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
        assertThat(next).isNotDone();
        other.leases.pauses().resume("key");
        bench.advance(EFFECT);
        bench.assertHeldFor(Duration.ofSeconds(20), next.join().orElseThrow());
    }

    @Test
    void aHandOverWhoseReplyWasLostBeforeThePauseReleasesToo() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        bench.advance(Duration.ofSeconds(4));
        here.store.next(ACQUIRE, ScriptedStore.LOST);
        pause("key");
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();

        bench.advance(EFFECT);

        assertThat(released).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
        assertThat(next).isNotDone();
    }

    @Test
    void aWaiterThatGivesUpAfterSuchAReleaseHasNothingToRelease() {
        here.store.next(ACQUIRE, ScriptedStore.RESENT); // so a copy of it may still be applied
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        pause("key");
        bench.advance(EFFECT);
        lease.close();
        here.store.verbs();

        next.cancel(true);

        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void withoutAPauseAHandOverIsStillOneWrite() {
        Lease lease = here.acquire("key");
        CompletableFuture<Optional<Lease>> next = here.waiting("key");
        here.store.verbs();

        lease.close();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
        assertThat(next.join()).isPresent();
    }

    // ---- permits

    @Test
    void permitsArePausedByTheirKey() {
        Lease first = here.acquire(PERMIT);
        pause("key");
        bench.advance(EFFECT);

        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> here.leases.acquire(PERMIT))
                .satisfies(unavailable -> assertThat(unavailable.pause()).isPresent());

        assertThat(first.isValid()).isTrue();
    }

    @Test
    void waitersForPermitsGoOnAfterThePause() {
        pause("key");
        List<CompletableFuture<Optional<Lease>>> waiting =
                List.of(waitingForPermit(), waitingForPermit(), waitingForPermit());
        bench.advance(Duration.ofMinutes(1));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        CompletableFuture<Optional<Lease>> impatient = here.leases.acquireAsync(PERMIT);
        assertThat(impatient).isDone();
        assertThat(pauseOf(impatient)).isPresent();

        other.leases.pauses().resume("key");
        bench.advance(EFFECT);

        assertThat(waiting)
                .filteredOn(CompletableFuture::isDone)
                .hasSize(2)
                .allMatch(one -> one.join().isPresent());
    }

    @Test
    void waitersForPermitsCostLittleDuringAPause() {
        pause("key");
        waitingForPermit();
        here.store.verbs();

        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.verbs()).hasSize(12).containsOnly(READ);
    }

    /** While one waits for slots of other processes, looks are sent, but no acquire that would read the pauses. */
    @Test
    void aPermitIsNotRefusedForAPauseThatWasLiftedLongAgo() {
        Lease first = other.acquire(PERMIT);
        other.acquire(PERMIT);
        CompletableFuture<Optional<Lease>> waiting = waitingForPermit();
        bench.advance(Duration.ofSeconds(10));
        pause("*");
        here.tryAcquire("another"); // this reads the pause
        other.leases.pauses().resume("*");
        bench.advance(Duration.ofMinutes(1));

        CompletableFuture<Optional<Lease>> refused = here.leases.acquireAsync(PERMIT);
        assertThat(refused.join()).isEmpty();
        assertThat(pauseOf(refused)).isEmpty();
        waiting.cancel(true);
        first.close();

        assertThat(here.tryAcquire(PERMIT)).isPresent();
    }

    @Test
    void aPermitIsRefusedForALongPauseBehindOneThatWaits() {
        other.acquire(PERMIT);
        other.acquire(PERMIT);
        waitingForPermit();
        bench.advance(Duration.ofSeconds(10));
        pause("*");
        here.tryAcquire("another"); // this reads the pause
        bench.advance(Duration.ofMinutes(1));

        CompletableFuture<Optional<Lease>> refused = here.leases.acquireAsync(PERMIT);

        assertThat(refused).isDone();
        assertThat(pauseOf(refused)).isPresent();
    }

    /** The acquires of both slots read the pauses again, and the reply takes a second. */
    @Test
    void aPermitIsRefusedOnceThePauseIsReadAgain() {
        pause("key");
        waitingForPermit();
        waitingForPermit();
        here.store.always(READ, request -> bench.time.schedule(EngineTime.SECOND, request::deliver));
        bench.advance(EFFECT);

        CompletableFuture<Optional<Lease>> refused = here.leases.acquireAsync(PERMIT);
        assertThat(refused).isNotDone();
        bench.advance(Duration.ofSeconds(1));

        assertThat(refused).isDone();
        assertThat(pauseOf(refused)).isPresent();
    }

    /** They all come while the pauses are read again, which takes a second. */
    @Test
    void eachCallerForAPermitAsksForAnOldPauseOnce() {
        AtomicInteger asked = new AtomicInteger();
        Bench.Node counting = bench.start(
                "counting",
                builder -> ((EngineBuilder) builder.pauses(true)).rules(new FeatureRules() {
                    @Override
                    public boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now) {
                        asked.incrementAndGet();
                        return super.isPaused(untilNanos, now);
                    }
                }));
        pause("key");
        counting.leases.acquireAsync(PERMIT.waitFor(LONG));
        counting.leases.acquireAsync(PERMIT.waitFor(LONG));
        counting.store.always(READ, request -> bench.time.schedule(EngineTime.SECOND, request::deliver));
        bench.advance(EFFECT);
        asked.set(0);

        List<CompletableFuture<Optional<Lease>>> callers = Stream.generate(() -> counting.leases.acquireAsync(PERMIT))
                .limit(100)
                .toList();

        assertThat(callers).noneMatch(CompletableFuture::isDone);
        assertThat(asked).hasValueLessThanOrEqualTo(100);
        bench.advance(Duration.ofSeconds(1));
        assertThat(callers).allSatisfy(caller -> assertThat(pauseOf(caller)).isPresent());
        assertThat(asked).hasValueLessThan(1_000);
    }

    @Test
    void eachPausedWaiterForAPermitIsListedOnce() {
        pause("key");
        waitingForPermit();
        waitingForPermit();
        waitingForPermit();

        bench.advance(Duration.ofSeconds(7));

        assertThat(here.leases.waiting())
                .extracting(LeaseWait::waitedFor)
                .containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(7), Duration.ofSeconds(7));
        assertThat(here.leases.status().waiting()).isEqualTo(3);
    }

    @Test
    void aWaiterForAPermitThatWasPausedLaterIsListedOnce() {
        Lease first = other.acquire(PERMIT);
        other.acquire(PERMIT);
        waitingForPermit();
        bench.advance(Duration.ofSeconds(10));
        pause("key");
        first.close();

        bench.advance(Duration.ofSeconds(7));

        assertThat(here.leases.waiting()).extracting(LeaseWait::waitedFor).containsExactly(Duration.ofSeconds(17));
    }

    @Test
    void theWaitForAPermitEndsWithThePause() {
        pause("key");
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(PERMIT.waitFor(Duration.ofSeconds(12)));

        bench.advance(Duration.ofSeconds(12));

        assertThat(waiting).isDone();
        assertThat(pauseOf(waiting)).isPresent();
    }

    /** A look that failed long ago is no reason for an error, as it is known what keeps the caller from a permit. */
    @Test
    void theWaitForAPermitEndsWithThePauseWhateverFailed() {
        LeaseRequest three = LeaseRequest.of("key").permits(3).permitsPerNode(2);
        here.acquire(three);
        List<Lease> theirs = List.of(other.acquire(three), other.acquire(three));
        here.store.always(READ_EACH, LOST);
        here.leases.acquireAsync(three.waitFor(Duration.ofSeconds(1)));
        bench.advance(Duration.ofSeconds(20));
        here.store.heal();
        theirs.forEach(Lease::close);
        pause("key");
        bench.advance(EFFECT);
        here.leases.acquireAsync(three.waitFor(Duration.ofMinutes(1))); // asks for a slot until the pause ends

        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(three.waitFor(Duration.ofSeconds(5)));
        bench.advance(Duration.ofSeconds(20));

        assertThat(next).isDone();
        assertThat(pauseOf(next)).isPresent();
    }

    @Test
    void aPermitIsNotHandedOverDuringAPause() {
        Lease first = here.acquire(PERMIT);
        Lease second = here.acquire(PERMIT);
        CompletableFuture<Optional<Lease>> next = waitingForPermit();
        pause("key");
        bench.advance(EFFECT);

        first.close();
        bench.advance(Duration.ofMinutes(1));

        assertThat(next).isNotDone();
        assertThat(bench.isHeld("key#permit=" + first.slot())).isFalse();
        assertThat(second.isValid()).isTrue();
        other.leases.pauses().resume("key");
        bench.advance(EFFECT);
        assertThat(next.join()).isPresent();
    }

    private CompletableFuture<Optional<Lease>> waitingForPermit() {
        return here.leases.acquireAsync(PERMIT.waitFor(Duration.ofHours(1)));
    }

    // ---- cost

    @Test
    void theFirstReadIsThatOfTheClockAndOneFollowsInFiveSeconds() {
        here.acquire("a");
        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);

        bench.advance(EFFECT.minusNanos(1));
        here.store.verbs();
        here.acquire("b");
        here.acquire("c");
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);

        bench.advance(Duration.ofNanos(1));
        here.store.verbs();
        here.acquire("d").close();
        here.acquire("e");
        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, RELEASE, ACQUIRE);
    }

    @Test
    void aManagerThatHoldsAndDoesNotAcquireReadsNothing() {
        here.acquire("key");
        here.store.verbs();

        bench.advance(Duration.ofMinutes(5));

        assertThat(here.store.verbs()).containsOnly(RENEW);
    }

    @Test
    void aManagerWithoutPausesReadsNothingAndIgnoresThem() {
        Bench.Node plain = bench.start("plain");
        pause("key");
        plain.sample(3);

        plain.acquire("key").close();

        assertThat(plain.store.verbs()).containsExactly(ACQUIRE, RELEASE);
        assertThat(plain.leases.pauses().isEnabled()).isFalse();
        assertThat(plain.leases.pauses().list()).isEmpty();
        assertThatExceptionOfType(LeaseException.class)
                .isThrownBy(() -> plain.leases.pauses().pause("key", in(LONG), "why"))
                .withMessage("Pauses are off, expected a manager built with pauses(true), in Spring Boot"
                        + " 'lease.pause.enabled=true'");
        assertThatExceptionOfType(LeaseException.class)
                .isThrownBy(() -> plain.leases.pauses().resume("key"));
    }

    // ---- reads that fail

    @Test
    void aManagerThatCannotReadThePausesGoesByTheLastOnesRead() {
        pause("key");
        assertThat(here.tryAcquire("key")).isEmpty();
        other.leases.pauses().resume("key");
        here.store.always("#pauses", ScriptedStore.refused("denied"));

        bench.advance(Duration.ofMinutes(1));
        assertThat(here.tryAcquire("key")).isEmpty();
        here.acquire("another");
        bench.advance(Duration.ofMinutes(1));
        here.acquire("third");

        assertThat(log.list).hasSize(1);

        here.store.heal();
        bench.advance(Duration.ofSeconds(1));
        here.acquire("key");
    }

    @Test
    void aManagerThatHasNeverReadThePausesGrants() {
        pause("key");
        here.store.always("#pauses", ScriptedStore.LOST);

        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        bench.advance(Duration.ofSeconds(2));

        assertThat(acquiring.join()).isPresent();
    }

    @Test
    void aReadThatASuspendInterruptedIsMadeAgain() {
        here.acquire("another");
        bench.advance(EFFECT);
        here.store.next(READ, ScriptedStore.LOST);
        here.acquiring("third");
        pause("key");
        here.machine.suspend(Duration.ofMinutes(1));
        bench.advance(Duration.ofSeconds(2)); // the timeout of the read, by a clock that stood still

        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        bench.advance(Duration.ofMillis(1));

        assertThat(acquiring.join()).isEmpty();
        assertThat(pauseOf(acquiring)).isPresent();
    }

    // ---- the item

    @Test
    void theItemOfThePausesIsNoLease() {
        pause("key");
        here.acquire("another");

        assertThat(here.leases.list().leases()).extracting("key").containsExactly("another");
        assertThat(here.leases.find("#pauses")).isEmpty();
        assertThat(bench.item("#pauses").expiry()).isNull(); // so item TTL does not remove it
    }

    @Test
    void aPauseIsWrittenUnderTheConditionOfTheTextThatWasRead() {
        pause("a");
        String text = bench.item("#pauses").records().text(RecordTable.PAUSES);
        pause("b");

        PauseCommand command = (PauseCommand) other.store.last(ScriptedStore.Verb.PAUSE).command;

        assertThat(command.edits().guards())
                .containsExactly(new Edits.Guard(RecordTable.PAUSES, Edits.Check.EQUAL, text));
        assertThat(here.leases.pauses().list())
                .extracting(LeasePause::keyOrPrefix)
                .containsExactly("a", "b");
    }
}
