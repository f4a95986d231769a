package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.Verb.PAUSE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasekit.LeaseException;
import io.leasekit.LeasePause;
import io.leasekit.LeasePauses;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.ScriptedStore.Request;
import io.leasekit.records.RecordTable;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Pauses are changed by conditional writes, whatever happens to them (protocol 5.11). */
class PauseChangesTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.pauses(true));
    private final Bench.Node other = bench.start("other", builder -> builder.pauses(true));
    private final LeasePauses pauses = here.leases.pauses();
    private final Instant until = bench.time.now().plus(Duration.ofHours(1));

    /** Gives the request this fate. The time passes within the call, because the call blocks. */
    private Consumer<Request> thenWaiting(Consumer<Request> fate) {
        return request -> {
            fate.accept(request);
            bench.advance(Duration.ofSeconds(4));
        };
    }

    private List<String> paused() {
        return other.leases.pauses().list().stream()
                .map(LeasePause::keyOrPrefix)
                .toList();
    }

    // ---- changes

    @Test
    void aPauseNamesTheOwnerOfTheManagerIfNobodyElse() {
        LeasePause pause = pauses.pause("key", until, "any reason: 100 %\n✓");

        assertThat(pause.by()).isEqualTo("here");
        assertThat(other.leases.pauses().list()).containsExactly(pause);
    }

    @Test
    void aSecondPauseOfAKeyReplacesTheFirst() {
        pauses.pause("key", until, "first");

        LeasePause second = other.leases.pauses().pause("key", until.plusSeconds(1), "second");

        assertThat(pauses.list()).containsExactly(second);
    }

    @Test
    void aPauseThatDoesNotExistIsNotLiftedAndNothingIsWritten() {
        pauses.pause("reports/*", until, "why");
        here.store.verbs();

        assertThat(pauses.resume("reports/daily")).isEmpty();

        assertThat(here.store.verbs()).containsExactly(READ);
    }

    @Test
    void endedPausesLeaveTheItemWithTheNextChange() {
        pauses.pause("a", until, "why");
        bench.advance(Duration.ofHours(1).plusSeconds(3));

        pauses.pause("b", bench.time.now().plusSeconds(60), "why");

        assertThat(bench.item("#pauses").records().text(RecordTable.PAUSES))
                .doesNotContain(" a")
                .contains(" b");
    }

    @Test
    void aPauseTakesEffectAtOnceWhereItWasMade() {
        here.acquire("another");

        pauses.pause("key", until, "why");

        assertThat(here.tryAcquire("key")).isEmpty();
    }

    // ---- failures

    @Test
    void aPauseWhoseReplyWasLostIsFoundByTheNextRead() {
        here.store.next(PAUSE, thenWaiting(ScriptedStore.REPLY_LOST));

        pauses.pause("key", until, "why");

        assertThat(here.store.sent(PAUSE)).hasSize(1);
        assertThat(paused()).containsExactly("key");
    }

    @Test
    void aLiftedPauseWhoseReplyWasLostIsStillReturned() {
        LeasePause pause = pauses.pause("key", until, "why");
        here.store.next(PAUSE, thenWaiting(ScriptedStore.REPLY_LOST));

        assertThat(pauses.resume("key")).contains(pause);
    }

    /** Applied, and then others change the pauses before the reply would arrive, which is lost. */
    private Consumer<Request> lostBefore(Runnable others) {
        return thenWaiting(request -> {
            request.apply();
            others.run();
        });
    }

    @Test
    void aResumeWhoseReplyWasLostLiftsNoLaterPause() {
        LeasePause first = pauses.pause("key", until, "first");
        here.store.next(PAUSE, lostBefore(() -> other.leases.pauses().pause("key", until, "second")));

        assertThat(pauses.resume("key")).contains(first);

        assertThat(other.leases.pauses().list()).extracting(LeasePause::reason).containsExactly("second");
    }

    @Test
    void aPauseWhoseReplyWasLostDoesNotComeBackAfterItWasLifted() {
        here.store.next(PAUSE, lostBefore(() -> other.leases.pauses().resume("key")));

        pauses.pause("key", until, "why");

        assertThat(paused()).isEmpty();
    }

    @Test
    void aChangeWhoseReplyWasLostIsFoundAfterManyOthers() {
        here.store.next(PAUSE, lostBefore(() -> changeOften(49)));

        pauses.pause("key", until, "why");

        assertThat(here.store.sent(PAUSE)).hasSize(1);
        assertThat(paused()).containsExactly("key", "other");
    }

    @Test
    void aChangeWhoseReplyWasLostIsNotRepeatedIfTheTextNoLongerShowsIt() {
        here.store.next(PAUSE, lostBefore(() -> changeOften(51)));

        assertThatExceptionOfType(LeaseStoreException.class)
                .isThrownBy(() -> pauses.pause("key", until, "why"))
                .withMessage(
                        "Pauses in table 'scripted': A request had no reply, and so many changes came after it that"
                                + " nothing shows whether it was applied: list the pauses, and change them again if it was not");

        assertThat(here.store.sent(PAUSE)).hasSize(1);
    }

    @Test
    void aLostChangeIsRepeatedAfterThoseOfOthers() {
        here.store.next(PAUSE, thenWaiting(request -> changeOften(3)));

        pauses.pause("key", until, "why");

        assertThat(here.store.sent(PAUSE)).hasSize(2);
        assertThat(paused()).containsExactly("other", "key");
    }

    /** The text of an earlier version begins with the name of its own change only. */
    @Test
    void aLostChangeIsNotRepeatedAfterOneOfAnEarlierVersion() {
        here.store.next(
                PAUSE,
                lostBefore(() -> bench.table.send(
                        new StoreRequest.Write(PauseCommands.replace(current(), "earlier")), Duration.ofSeconds(1))));

        assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> pauses.pause("key", until, "why"));

        assertThat(paused()).isEmpty();
    }

    private void changeOften(int times) {
        for (int i = 0; i < times; i++) {
            other.leases.pauses().pause("other", until.plusSeconds(i), "why");
        }
    }

    @Test
    void aLostPauseIsTriedAgainAndItsLateCopyChangesNothing() {
        here.store.next(PAUSE, thenWaiting(ScriptedStore.LOST));
        pauses.pause("key", until, "why");
        Request late = here.store.sent(PAUSE).get(0);
        pauses.resume("key");

        assertThat(late.apply()).isInstanceOf(StoreReply.Refused.class);

        assertThat(paused()).isEmpty();
    }

    @Test
    void aLateCopyThatComesBeforeTheRetryIsItsSuccess() {
        here.store.next(PAUSE, thenWaiting(ScriptedStore.LOST));
        here.store.next(PAUSE, second -> {
            here.store.sent(PAUSE).get(0).apply();
            second.deliver();
        });

        pauses.pause("key", until, "why");

        assertThat(here.store.sent(PAUSE)).hasSize(2);
        assertThat(paused()).containsExactly("key");
    }

    @Test
    void twoChangesAtOnceAreBothMade() {
        here.store.next(PAUSE, request -> {
            other.leases.pauses().pause("theirs", until, "why");
            request.deliver();
        });

        pauses.pause("ours", until, "why");

        assertThat(paused()).containsExactly("theirs", "ours");
    }

    @Test
    void aChangeFailsAfterTheStoreTimeout() {
        here.store.always(PAUSE, request -> bench.advance(Duration.ofSeconds(7)));

        assertThatExceptionOfType(LeaseStoreException.class)
                .isThrownBy(() -> pauses.pause("key", until, "why"))
                .withMessage("Pauses in table 'scripted': No reply of table 'scripted' within 2 s");
    }

    @Test
    void aRejectedChangeFailsAtOnce() {
        here.store.always(PAUSE, request -> request.fail(StoreReply.FailureKind.REJECTED, "denied"));

        assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> pauses.pause("key", until, "why"));

        assertThat(here.store.sent(PAUSE)).hasSize(1);
    }

    @Test
    void aChangeThatOthersAlwaysComeBeforeEnds() {
        here.store.always(PAUSE, request -> {
            bench.advance(Duration.ofSeconds(1));
            bench.table.send(
                    new StoreRequest.Write(PauseCommands.replace(current(), "other " + bench.time.now())),
                    Duration.ofSeconds(1));
            request.deliver();
        });

        assertThatExceptionOfType(LeaseStoreException.class)
                .isThrownBy(() -> pauses.pause("key", until, "why"))
                .withMessage("Pauses in table 'scripted': Others changed them all the time");
    }

    private String current() {
        return bench.table
                .item("#pauses")
                .map(item -> item.records().text(RecordTable.PAUSES))
                .orElse(null);
    }

    @Test
    void aClosedManagerChangesNothing() {
        here.leases.close();

        assertThatExceptionOfType(LeaseException.class).isThrownBy(() -> pauses.pause("key", until, "why"));
    }

    @Test
    void linesOfAnotherFormAreIgnored() {
        bench.table.send(
                new StoreRequest.Write(PauseCommands.replace(
                        null,
                        "id\n\nx a b c\n-1 a b c\n9223372036854775807 a b c\n" + until.toEpochMilli()
                                + " anna why%ZZ key\n" + until.toEpochMilli() + " anna why key later")),
                Duration.ofSeconds(1));

        assertThat(pauses.list()).containsExactly(new LeasePause("key", until, "anna", "why"));
    }

    // ---- limits

    @Test
    void theEndMustBeInTheNextYear() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("key", bench.time.now().minusSeconds(3), "why"))
                .withMessageStartingWith(
                        "until is 2027-01-15T07:59:57Z for a pause of 'key', expected a time at most 365 d"
                                + " after the table's time, 2027-01-15T");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("key", bench.time.now().plus(Duration.ofDays(366)), "why"));
    }

    @Test
    void keysAndReasonsHaveLimits() {
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause(" ", until, "why"));
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause("#pauses", until, "why"));
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause("a#permit=1", until, "why"));
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.resume("#pausesX"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("key", until, " "))
                .withMessage("reason has 1 characters for a pause of 'key', expected a text with a visible character"
                        + " and at most 256 characters");
        assertThatIllegalArgumentException().isThrownBy(() -> pauses.pause("key", until, "x".repeat(257)));
        pauses.pause("key", until, "x".repeat(256), "y".repeat(129));

        assertThat(pauses.list())
                .singleElement()
                .satisfies(pause -> assertThat(pause.by()).hasSize(128));
    }

    @Test
    void thereAreAtMostAHundredPauses() {
        for (int i = 1; i <= 100; i++) {
            pauses.pause("key-" + i, until, "why");
        }

        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("another", until, "why"))
                .withMessage("Table has 100 pauses already, expected at most 100: pause a prefix instead of single"
                        + " keys");
        pauses.pause("key-7", until, "replaced");
    }

    @Test
    void theItemStaysSmall() {
        for (int i = 1; i <= 15; i++) {
            pauses.pause("k".repeat(2_000) + i, until, "why");
        }

        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("k".repeat(2_040), until, "why"))
                .withMessageContaining("expected at most 32000: pause a prefix, or give shorter reasons");
    }
}
