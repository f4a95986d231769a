package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseProgress;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.OnceOrder;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.ProgressException;
import io.leasekit.ReleaseMode;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.store.LeaseItem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The next holder of a run goes on where a dead or failed one stopped (protocol 5.12). */
class ProgressTest {

    private static final LeaseRequest JOB = LeaseRequest.of("job").resumable();

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private static Progress<String> progress(Lease lease) {
        return lease.progress(ProgressCodec.text());
    }

    private static CompletableFuture<Void> save(Lease lease, String value) {
        return progress(lease).saveAsync(value).toCompletableFuture();
    }

    private Optional<String> inTheTable() {
        return Optional.ofNullable(ItemProgress.of(bench.item("job").records()))
                .map(saved -> new String(saved.data(), UTF_8));
    }

    private static LeaseRequest run(String name) {
        return JOB.once(name, OnceOrder.GROWING);
    }

    // ---- who gets it

    @Test
    void theHolderAfterACrashGoesOnFromTheLastSave() {
        Lease dead = here.acquire(JOB);
        assertThat(progress(dead).last()).isEmpty();
        assertThat(save(dead, "1")).isCompleted();
        assertThat(save(dead, "2")).isCompleted();
        here.store.always(LOST);
        bench.advance(Bench.TTL.multipliedBy(2));

        assertThat(progress(other.acquire(JOB)).last()).contains("2");
    }

    @ParameterizedTest
    @EnumSource(
            value = LeaseRunOutcome.class,
            names = {"FAILED", "RETRY"})
    void theHolderAfterAFailureGoesOn(LeaseRunOutcome outcome) {
        Lease failed = here.acquire(JOB);
        save(failed, "half");
        failed.recordRun(outcome);
        failed.close();

        assertThat(progress(other.acquire(JOB)).last()).contains("half");
    }

    @Test
    void aReleaseWithoutAnOutcomeEndsNoRun() {
        Lease open = here.acquire(JOB);
        save(open, "half");
        open.close();

        assertThat(progress(other.acquire(JOB)).last()).contains("half");
    }

    @Test
    void aSuccessEndsTheRun() {
        Lease done = here.acquire(JOB);
        save(done, "half");
        done.recordRun(LeaseRunOutcome.SUCCEEDED);
        done.close();

        assertThat(inTheTable()).isEmpty();
        assertThat(progress(other.acquire(JOB)).last()).isEmpty();
    }

    @Test
    void aLateSuccessWhoseReplyIsLostEndsTheRunOnce() {
        Lease done = here.acquire(JOB);
        save(done, "half");
        done.recordRun(LeaseRunOutcome.SUCCEEDED);
        here.store.next(RELEASE, REPLY_LOST);
        done.releaseAsync();

        assertThat(progress(other.acquire(JOB)).last()).isEmpty();
    }

    @Test
    void progressBelongsToItsRun() {
        Lease first = here.acquire(run("1"));
        save(first, "half of 1");
        first.close();

        Lease second = other.acquire(run("2"));
        assertThat(progress(second).last()).isEmpty();
        second.close();
        assertThat(progress(here.acquire(run("1"))).last()).contains("half of 1");
    }

    @Test
    void aCallWithoutANameLeavesTheProgressOfARun() {
        Lease first = here.acquire(run("1"));
        save(first, "half of 1");
        first.close();

        Lease byHand = other.acquire(JOB);
        assertThat(progress(byHand).last()).isEmpty();
        byHand.recordRun(LeaseRunOutcome.SUCCEEDED);
        byHand.close();

        assertThat(progress(here.acquire(run("1"))).last()).contains("half of 1");
    }

    @Test
    void aLaterRunThatSucceedsEndsTheOneBefore() {
        Lease first = here.acquire(run("1"));
        save(first, "half of 1");
        first.close();

        Lease second = other.acquire(run("2"));
        second.recordRun(LeaseRunOutcome.SUCCEEDED);
        second.close();

        assertThat(inTheTable()).isEmpty();
    }

    @Test
    void aWaiterOfThisProcessGetsIt() {
        Lease first = here.acquire(JOB);
        save(first, "half");
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(JOB.waitFor(Duration.ofMinutes(1)));
        first.close();

        assertThat(next.join().map(lease -> progress(lease).last())).contains(Optional.of("half"));
    }

    @Test
    void aWaiterOfThisProcessGetsANoteThatNoHeartbeatHasWritten() {
        Lease first = here.acquire(JOB);
        progress(first).note("noted");
        CompletableFuture<Optional<Lease>> next = here.leases.acquireAsync(JOB.waitFor(Duration.ofMinutes(1)));
        first.close();

        assertThat(next.join().map(lease -> progress(lease).last())).contains(Optional.of("noted"));
    }

    @Test
    void workThatIsRunUnderALeaseEndsItsRun() {
        here.leases.run(JOB, lease -> progress(lease).save("end of the first file"));
        assertThat(here.leases.tryCall(JOB, lease -> {
                    assertThat(progress(lease).last()).isEmpty();
                    progress(lease).save("end of the second file");
                    return "done";
                }))
                .contains("done");

        assertThat(inTheTable()).isEmpty();
    }

    /** As during a rolling change to work that saves its progress. */
    @Test
    void aSuccessOfWorkThatSavesNothingEndsTheRunToo() {
        Lease dead = here.acquire(JOB);
        save(dead, "line 9,000");
        dead.close();

        Lease former = other.acquire("job");
        former.recordRun(LeaseRunOutcome.SUCCEEDED);
        former.close();

        assertThat(progress(here.acquire(JOB)).last()).isEmpty();
    }

    @Test
    void anEarlierRunThatIsCaughtUpLeavesTheProgressOfALaterOne() {
        Lease later = here.acquire(run("2"));
        save(later, "half of 2");
        later.close();
        Lease earlier = other.acquire(run("1"));
        progress(earlier).note("never written");
        earlier.recordRun(LeaseRunOutcome.SUCCEEDED);
        earlier.close();

        assertThat(progress(here.acquire(run("2"))).last()).contains("half of 2");
    }

    // ---- requests

    @Test
    void aSaveIsOneRequestANoteNoneAndReadingNone() {
        here.sample(2);
        Lease lease = here.acquire(JOB);
        here.store.verbs();

        save(lease, "1");
        assertThat(here.store.verbs()).containsExactly(RENEW);
        progress(lease).note("2");
        assertThat(here.store.verbs()).isEmpty();
        bench.advance(Bench.TTL.dividedBy(3));
        assertThat(here.store.verbs()).containsExactly(RENEW);
        assertThat(inTheTable()).contains("2");
        lease.close();
        assertThat(here.store.verbs()).containsExactly(RELEASE);
        other.sample(2);
        Lease next = other.acquire(JOB);
        assertThat(progress(next).last()).contains("2");
        assertThat(other.store.verbs()).containsExactly(ACQUIRE);
    }

    @Test
    void savesThatComeTogetherShareTheLaterWrite() {
        Lease lease = here.acquire(JOB);
        here.store.next(RENEW, LOST);
        CompletableFuture<Void> first = save(lease, "1");
        CompletableFuture<Void> second = save(lease, "2");
        CompletableFuture<Void> third = save(lease, "3");
        assertThat(List.of(first, second, third)).noneMatch(CompletableFuture::isDone);

        here.store.sent(RENEW).get(0).deliver();

        assertThat(List.of(first, second, third)).allMatch(CompletableFuture::isDone);
        assertThat(here.store.sent(RENEW)).hasSize(2);
        assertThat(inTheTable()).contains("3");
    }

    @Test
    void notesThatComeDuringASaveCostNoRenewal() {
        Lease lease = here.acquire(JOB);
        here.store.next(RENEW, LOST);
        CompletableFuture<Void> saved = save(lease, "1");
        progress(lease).note("2");
        here.store.sent(RENEW).get(0).deliver();
        progress(lease).note("3");

        assertThat(saved).isCompleted();
        assertThat(here.store.sent(RENEW)).hasSize(1);
        bench.advance(Bench.TTL.dividedBy(3));
        assertThat(inTheTable()).contains("3");
    }

    @Test
    void savesDuringAnOutageWaitForTheNextRenewal() {
        Lease lease = here.acquire(JOB);
        here.store.always(ScriptedStore.broken("Connection refused"));
        save(lease, "1");
        int before = here.store.sent(RENEW).size();

        for (int i = 2; i < 50; i++) {
            save(lease, Integer.toString(i));
        }

        assertThat(here.store.sent(RENEW)).hasSize(before);
        here.store.heal();
        bench.advance(Duration.ofSeconds(6));
        assertThat(inTheTable()).contains("49");
    }

    @Test
    void anItemWithProgressIsAcquiredByOneMoreRequestByWhoSavesNone() {
        Lease first = here.acquire(JOB);
        save(first, "half");
        first.close();
        other.sample(2);
        other.store.verbs();

        other.acquire("job");

        assertThat(other.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
        assertThat(inTheTable()).contains("half");
        assertThat(bench.item("job").records().keptUntil()).isNotNull();
    }

    // ---- without a retry left in the budget

    private final Bench.Node patient = bench.start("patient", builder -> builder.ttl(Duration.ofMinutes(1)));

    private Lease leaseWithoutRetries() {
        Lease lease = patient.acquire(JOB);
        patient.spendRetries();
        return lease;
    }

    private static Consumer<ScriptedStore.Request> throttled() {
        return ScriptedStore.refused("ProvisionedThroughputExceededException");
    }

    @Test
    void aThrottledSaveIsRetriedWithinASecond() {
        Lease lease = leaseWithoutRetries();
        patient.store.next(RENEW, throttled());

        CompletableFuture<Void> saved = save(lease, "1");
        bench.advance(Duration.ofSeconds(1));

        assertThat(patient.store.sent(RENEW)).hasSize(2);
        assertThat(saved).isCompleted();
    }

    @Test
    void savesAfterAThrottledHeartbeatAreWrittenWithinASecond() {
        Lease lease = leaseWithoutRetries();
        patient.store.next(RENEW, throttled());
        while (patient.store.sent(RENEW).isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }

        CompletableFuture<Void> first = save(lease, "1");
        bench.advance(Duration.ofMillis(500));
        CompletableFuture<Void> second = save(lease, "2");
        assertThat(patient.store.sent(RENEW)).as("the heartbeat").hasSize(1);
        bench.advance(Duration.ofMillis(500));

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(patient.store.sent(RENEW)).hasSize(2);
    }

    @Test
    void aSaveThatNobodyAwaitsAnyMoreIsRetriedLikeAHeartbeat() {
        Lease lease = leaseWithoutRetries();
        patient.store.always(RENEW, throttled());
        assertThatExceptionOfType(LeaseStoreException.class)
                .isThrownBy(() -> progress(lease).save("1"));
        bench.advance(Duration.ofSeconds(1)); // for the retry that was due before
        patient.store.verbs();

        progress(lease).note("2");
        bench.advance(Duration.ofSeconds(8));

        assertThat(patient.store.sent(RENEW)).isEmpty();
    }

    // ---- what goes wrong

    @Test
    void aSaveWhoseReplyIsLostIsWrittenAgainAndConfirmed() {
        Lease lease = here.acquire(JOB);
        here.store.next(RENEW, REPLY_LOST);
        CompletableFuture<Void> saved = save(lease, "1");
        assertThat(saved).isNotDone();

        bench.advance(Duration.ofSeconds(4));

        assertThat(saved).isCompleted();
        assertThat(inTheTable()).contains("1");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLateCopyOfASaveUndoesNoLaterOne() {
        Lease lease = here.acquire(JOB);
        here.store.next(RENEW, LOST);
        save(lease, "1");
        bench.advance(Duration.ofSeconds(4));
        save(lease, "2");
        assertThat(inTheTable()).contains("2");

        here.store.sent(RENEW).get(0).apply();

        assertThat(inTheTable()).contains("2");
    }

    @Test
    void aSaveOfALostLeaseFailsAndChangesNothing() {
        Lease lease = here.acquire(JOB);
        here.store.always(LOST);
        CompletableFuture<Void> saved = save(lease, "1");
        bench.advance(Bench.TTL.multipliedBy(2));
        Lease taken = other.acquire(JOB);
        save(taken, "of the next holder");

        here.store.sent(RENEW).forEach(ScriptedStore.Request::apply);

        assertThat(saved).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LeaseLostException.class);
        assertThat(save(lease, "2")).isCompletedExceptionally();
        assertThat(inTheTable()).contains("of the next holder");
    }

    @Test
    void aSaveAfterTheReleaseFails() {
        Lease lease = here.acquire(JOB);
        lease.close();

        assertThat(save(lease, "1"))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(LeaseException.class);
    }

    @Test
    void aSaveThatHangsDoesNotEndTheLease() {
        Lease lease = here.acquire(JOB);
        here.store.next(RENEW, LOST);
        save(lease, "1");

        bench.assertHeldFor(Duration.ofMinutes(2), lease);

        assertThat(inTheTable()).contains("1");
    }

    @Test
    void aPassiveLeaseSavesWithoutMovingItsEnd() {
        Lease lease = here.acquire(JOB.passive());
        Duration left = lease.remaining();
        bench.advance(Duration.ofSeconds(1));

        assertThat(save(lease, "1")).isCompleted();

        assertThat(lease.remaining()).isLessThanOrEqualTo(left.minusSeconds(1).plusMillis(10));
        assertThat(inTheTable()).contains("1");
    }

    @Test
    void whatAFailureLeavesIsTheLastNote() {
        Lease lease = here.acquire(JOB);
        save(lease, "1");
        progress(lease).note("2");
        lease.recordRun(LeaseRunOutcome.FAILED);
        lease.close();

        assertThat(progress(other.acquire(JOB)).last()).contains("2");
    }

    /** A listener is called in a step of the lease, so the steps of the values and of the release wait for it. */
    @Test
    void whatIsGivenBeforeTheReleaseIsInIt() {
        AtomicReference<Lease> held = new AtomicReference<>();
        List<CompletableFuture<Void>> saved = new ArrayList<>();
        Bench.Node busy = bench.start(
                "busy",
                builder -> builder.listener(event -> {
                    if (event instanceof LeaseEvent.AtRisk) {
                        progress(held.get()).note("1");
                        saved.add(save(held.get(), "2"));
                        progress(held.get()).note("3");
                        held.get().recordRun(LeaseRunOutcome.FAILED);
                        held.get().releaseAsync();
                        held.get().recordRun(LeaseRunOutcome.SUCCEEDED); // too late
                    }
                }));
        held.set(busy.acquire(JOB));
        busy.store.always(RENEW, LOST);

        bench.advance(Bench.TTL);

        assertThat(saved).hasSize(1).allSatisfy(one -> assertThat(one).isCompleted());
        assertThat(inTheTable()).contains("3");
        assertThat(ItemRun.of(bench.item("job").records()).outcome()).isEqualTo("FAILED");
    }

    @Test
    void whatIsGivenBeforeALossIsInTheRelease() {
        Lease lease = here.acquire(JOB);
        here.store.always(RENEW, LOST);
        progress(lease).note("1");
        bench.advance(Bench.TTL.multipliedBy(2));
        assertThat(lease.lossReason()).isPresent();
        progress(lease).note("2");

        lease.recordRun(LeaseRunOutcome.FAILED);
        lease.close();

        assertThat(inTheTable()).contains("1");
    }

    @Test
    void whatIsGivenBeforeTheManagerClosesIsInTheRelease() {
        Bench.Node brief = bench.start("brief", builder -> builder.closeTimeout(Duration.ZERO));
        Lease lease = brief.acquire(JOB);
        progress(lease).note("1");

        brief.leases.close();
        lease.close();

        assertThat(inTheTable()).contains("1");
    }

    @Test
    void whatIsGivenBeforeAHoldIsInIt() {
        Lease lease = here.acquire(JOB.cooldown(Duration.ofMinutes(5)));
        progress(lease).note("1");
        lease.close();

        assertThat(inTheTable()).contains("1");
        assertThat(other.tryAcquire(JOB)).isEmpty();
    }

    @Test
    void whatIsGivenBeforeAReleaseWhoseReplyIsLostIsWrittenOnce() {
        Lease lease = here.acquire(JOB);
        progress(lease).note("1");
        here.store.next(RELEASE, REPLY_LOST);
        lease.releaseAsync();

        Lease next = other.acquire(JOB);
        save(next, "2");
        bench.advance(Duration.ofSeconds(30));

        assertThat(inTheTable()).contains("2");
    }

    @Test
    void whatIsGivenWhileASaveIsOnItsWayIsInTheRelease() {
        Lease lease = here.acquire(JOB);
        here.store.next(RENEW, LOST);
        CompletableFuture<Void> first = save(lease, "1");
        CompletableFuture<Void> second = save(lease, "2");
        progress(lease).note("3");
        lease.releaseAsync();
        here.store.sent(RENEW).get(0).deliver();

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(inTheTable()).contains("3");
    }

    @Test
    void aSaveThatNoReleaseWritesFails() {
        Lease lease = here.acquire(JOB);
        here.store.always(RENEW, LOST);
        CompletableFuture<Void> saved = save(lease, "1");
        here.store.always(LOST);
        lease.releaseAsync();
        assertThat(saved).isNotDone();

        bench.advance(Duration.ofMinutes(2));

        assertThat(saved).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LeaseException.class);
        assertThat(inTheTable()).isEmpty();
    }

    @Test
    void aNoteAfterTheReleaseIsRefused() {
        Lease lease = here.acquire(JOB);
        lease.close();

        assertThatExceptionOfType(LeaseException.class)
                .isThrownBy(() -> progress(lease).note("1"))
                .withMessageEndingWith(" is not valid: it was released");
    }

    @Test
    void peopleSeeHowFarTheWorkHasCome() {
        Lease lease = here.acquire(run("1"));
        assertThat(other.leases.find("job").orElseThrow().progress()).isNull();

        save(lease, "line 7");

        LeaseProgress shown = other.leases.find("job").orElseThrow().progress();
        assertThat(shown.run()).isEqualTo("1");
        assertThat(shown.text()).isEqualTo("line 7");
        assertThat(shown.bytes()).isEqualTo(6);
        assertThat(shown.savedAt()).isNotNull();
    }

    @Test
    void peopleSeeNoBytesThatAreNoText() {
        Progress<byte[]> progress = here.acquire(JOB).progress();
        progress.save(new byte[] {(byte) 0xff, 0});
        assertThat(other.leases.find("job").orElseThrow().progress().text()).isNull();
        progress.save("a\u0007b".getBytes(UTF_8));
        assertThat(other.leases.find("job").orElseThrow().progress().text()).isNull();
        progress.save("\uD83D\uDE00".repeat(300).getBytes(UTF_8));
        assertThat(other.leases.find("job").orElseThrow().progress().text()).isEqualTo("\uD83D\uDE00".repeat(200));
    }

    // ---- bad input

    @Test
    void aLeaseThatIsNotResumableHasNoProgress() {
        Lease lease = here.acquire("job");

        assertThatIllegalStateException()
                .isThrownBy(lease::progress)
                .withMessage(
                        "Lease 'job' saves no progress, expected a request that is 'resumable', or an annotated method"
                                + " with 'resumable = true' or a parameter of type Progress");
    }

    @Test
    void requestsWhoseProgressNobodyWouldFindAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll("a", "b").resumable())
                .withMessage(
                        "Resumable request for lease key 'a', 'b' has several keys, expected one item, whose acquire"
                                + " shows the progress of the holder before");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.of("a").resumable().permits(2))
                .withMessageContaining("has permits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JOB.once("run"))
                .withMessageContaining("use OnceOrder.GROWING");
    }

    @ParameterizedTest
    @ValueSource(ints = {Progress.MAX_BYTES, Progress.MAX_BYTES + 1})
    void aValueHasALimit(int size) {
        Progress<byte[]> progress = here.acquire(JOB).progress();
        byte[] value = new byte[size];

        if (size > Progress.MAX_BYTES) {
            here.store.verbs();
            assertThatThrownBy(() -> progress.save(value))
                    .isInstanceOf(ProgressException.class)
                    .hasMessage(
                            "Progress of lease 'job' has 32769 bytes, expected at most 32768: save a position, and keep"
                                    + " data in a table of its own; nothing was written");
            assertThat(here.store.verbs()).isEmpty();
        } else {
            progress.save(value);
            assertThat(inTheTable()).map(String::length).contains(size);
        }
    }

    /** Fails in both directions. */
    private static final class Broken implements ProgressCodec<Integer> {
        @Override
        public byte[] encode(Integer value) throws Exception {
            throw new Exception("cannot write " + value);
        }

        @Override
        public Integer decode(byte[] data) {
            throw new NoClassDefFoundError("Offset");
        }
    }

    @Test
    void aCodecThatThrowsLosesNothing() {
        Lease first = here.acquire(JOB);
        save(first, "half");
        assertThatExceptionOfType(ProgressException.class)
                .isThrownBy(() -> first.progress(new Broken()).save(7))
                .withMessageMatching(
                        "Value of type java\\.lang\\.Integer for the progress of lease 'job' cannot be encoded"
                                + " by .*Broken; nothing was written")
                .withRootCauseInstanceOf(Exception.class);
        first.close();

        Lease second = here.acquire(JOB);
        assertThatExceptionOfType(ProgressException.class)
                .isThrownBy(() -> second.progress(new Broken()).last())
                .withMessageMatching(
                        "Progress of lease 'job' \\(4 bytes\\) cannot be decoded by .*Broken; it stays in the"
                                + " table");
        assertThat(progress(second).last()).contains("half");
    }

    @Test
    void nullIsNoValue() {
        Progress<String> progress = progress(here.acquire(JOB));

        assertThatExceptionOfType(ProgressException.class)
                .isThrownBy(() -> progress.save(null))
                .withMessage("Progress of lease 'job' is null, expected a value; nothing was written");
    }

    @Test
    void aCodecOrAnOutcomeIsNeverNull() {
        Lease lease = here.acquire(JOB);

        assertThatNullPointerException()
                .isThrownBy(() -> lease.progress(null))
                .withMessage("Codec for the progress of lease 'job' is null, expected a ProgressCodec");
        assertThatNullPointerException()
                .isThrownBy(() -> lease.recordRun(null))
                .withMessage("Outcome of the run under lease 'job' is null, expected a LeaseRunOutcome");
    }

    @Test
    void aPairOfConversionsIsACodec() throws Exception {
        ProgressCodec<Duration> codec = ProgressCodec.of(
                value -> value.toString().getBytes(UTF_8), data -> Duration.parse(new String(data, UTF_8)));
        Lease lease = here.acquire(JOB);
        lease.progress(codec).saveAsync(Duration.ofDays(1));
        lease.close();

        assertThat(other.acquire(JOB).progress(codec).last()).contains(Duration.ofDays(1));
        ProgressCodec<Duration> failing = ProgressCodec.of(
                value -> {
                    throw new IOException("full");
                },
                data -> Duration.ZERO);
        assertThatThrownBy(() -> failing.encode(Duration.ZERO)).hasMessage("full");
    }

    @Test
    void numbersAreDecimalTexts() {
        Lease lease = here.acquire(JOB);
        lease.progress(ProgressCodec.integers()).save(-7);
        assertThat(inTheTable()).contains("-7");
        lease.progress(ProgressCodec.longs()).save(Long.MAX_VALUE);
        lease.close();

        Lease next = other.acquire(JOB);
        assertThat(next.progress(ProgressCodec.longs()).last()).contains(Long.MAX_VALUE);
        assertThatExceptionOfType(ProgressException.class)
                .isThrownBy(() -> next.progress(ProgressCodec.integers()).last());
    }

    @Test
    void aStoreWithoutTransactionsLeavesTheOtherWay() {
        Progress<String> progress = progress(here.acquire(JOB));

        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> progress.update("1"));

        progress.save("2");
        assertThat(inTheTable()).contains("2");
    }

    @Test
    void valuesAreWrittenInOneWayOnly() {
        Progress<String> saving = progress(here.acquire(JOB));
        saving.note("1");

        assertThatIllegalStateException()
                .isThrownBy(() -> saving.update("2"))
                .withMessage(
                        "'update' was called for the progress of lease 'job' after 'save' or 'note', whose renewals could"
                                + " undo the transaction");
    }

    // ---- the item

    @Test
    void anItemWithProgressIsKeptAfterItsLeaseHasEnded() {
        Lease lease = here.acquire(JOB);
        LeaseItem held = bench.item("job");
        assertThat(held.records().keptUntil())
                .isGreaterThan(held.expiry() + Duration.ofDays(1).toSeconds());
        bench.advance(Bench.TTL);

        LeaseItem renewed = bench.item("job");

        assertThat(renewed.expiry()).isGreaterThan(held.expiry());
        assertThat(renewed.records().keptUntil()).isGreaterThan(held.records().keptUntil());
        assertThat(lease.isValid()).isTrue();
    }

    /** How long the table keeps the item from now on, in days. */
    private double daysKept() {
        return (bench.item("job").removableFrom() - bench.time.now().getEpochSecond()) / 86_400.0;
    }

    @Test
    void anItemWithoutProgressIsKeptForTheRetention() {
        Lease done = here.acquire(JOB);
        done.recordRun(LeaseRunOutcome.SUCCEEDED);
        done.close();
        assertThat(daysKept()).isBetween(7.0, 7.1);

        Lease failed = here.acquire(run("1"));
        failed.recordRun(LeaseRunOutcome.RETRY);
        failed.close();
        assertThat(daysKept()).isBetween(7.0, 7.1);

        Lease saving = here.acquire(JOB);
        save(saving, "half");
        saving.close();
        assertThat(daysKept()).isBetween(400.0, 400.1);
        run(run("1"), LeaseRunOutcome.SUCCEEDED);
        assertThat(daysKept()).isBetween(400.0, 400.1);
        run(JOB, LeaseRunOutcome.SUCCEEDED);
        assertThat(daysKept()).isBetween(400.0, 400.1); // it has the name of a run
    }

    private void run(LeaseRequest request, LeaseRunOutcome outcome) {
        Lease lease = here.acquire(request);
        lease.recordRun(outcome);
        lease.close();
    }

    @Test
    void whatAHoldEndsIsKeptForTheRetentionThatFollowsIt() {
        Duration hold = Duration.ofDays(2);
        run(LeaseRequest.of("job").cooldown(hold), LeaseRunOutcome.SUCCEEDED);
        assertThat(daysKept()).isBetween(9.0, 9.1);
        assertThat(other.tryAcquire("job")).isEmpty();
        bench.advance(hold.plusSeconds(2));
        assertThat(other.tryAcquire("job")).map(Lease::releaseAsync).isPresent();

        run(run("1").cooldown(hold), LeaseRunOutcome.SUCCEEDED);
        assertThat(daysKept()).isBetween(402.0, 402.1);
        bench.advance(hold.plusSeconds(2));
        assertThat(other.tryAcquire("job")).isPresent();
    }

    @Test
    void aHoldWithoutRecordsButProgressIsKept() {
        Lease lease = here.acquire(JOB.cooldown(Duration.ofMinutes(2)));
        save(lease, "half");
        lease.close();
        assertThat(daysKept()).isBetween(400.0, 400.1);

        bench.advance(Duration.ofMinutes(3));
        here.acquire(LeaseRequest.of("job").cooldown(Duration.ofMinutes(2))).close();
        assertThat(daysKept()).isBetween(400.0, 400.1);
    }

    @Test
    void anAcquireThatWasGivenUpKeepsItsItemForTheRetention() {
        here.store.always(ACQUIRE, REPLY_LOST);
        here.acquiring("job").cancel(true);
        bench.advance(Duration.ofSeconds(2));

        assertThat(bench.item("job").version()).isNull();
        assertThat(daysKept()).isBetween(7.0, 7.1);
    }

    @Test
    void aReleaseThatDeletesItsItemKeepsProgress() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        Lease failed = deleting.acquire(JOB);
        save(failed, "half");
        failed.close();
        assertThat(inTheTable()).contains("half");

        Lease done = deleting.acquire(JOB);
        done.recordRun(LeaseRunOutcome.SUCCEEDED);
        bench.advance(Duration.ofSeconds(10));
        done.close();

        assertThat(bench.table.item("job")).isEmpty();
    }
}
