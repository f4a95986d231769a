package io.leasekit.engine;

import static io.leasekit.LeaseRunOutcome.SUCCEEDED;
import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.REOPEN;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.OnceOrder;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A run that is done is allowed again on purpose, if the table is as the operator saw it (protocol 5.13). */
class RunAgainTest {

    private static final LeaseRequest A = LeaseRequest.of("key").once("a", OnceOrder.GROWING);
    private static final LeaseRequest B = LeaseRequest.of("key").once("b", OnceOrder.GROWING);

    @RegisterExtension
    private final LogLines logged = new LogLines(LeaseNotifier.class.getName());

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.runHistory(5));
    private final Bench.Node operator = bench.start("operator", builder -> builder.runHistory(5));
    private final long token = run(B);

    private long run(LeaseRequest request) {
        Lease lease = here.acquire(request);
        bench.advance(Duration.ofSeconds(2));
        lease.recordRun(SUCCEEDED);
        lease.close();
        return lease.fencingToken();
    }

    private CompletableFuture<Boolean> allowing() {
        return ((LeaseEngine) operator.leases).runAgainAsync("key", "b", token, "ada");
    }

    private LeaseInfo seen() {
        return operator.leases.find("key").orElseThrow();
    }

    @Test
    void theNextAcquireForTheRunIsGrantedAndThenItIsDoneAgain() {
        assertThat(operator.leases.runAgain("key", "b", token, "ada")).isTrue();

        assertThat(here.tryAcquire(A)).as("an earlier run").isEmpty();
        assertThat(run(B)).isGreaterThan(token);
        assertThat(here.tryAcquire(B)).isEmpty();
    }

    @Test
    void theHistoryAnEventAndALineShowWhoAllowedIt() {
        operator.leases.runAgain("key", "b", token, "ada");
        long again = run(B);

        List<LeasePastRun> history = seen().history();
        assertThat(history).extracting(LeasePastRun::fencingToken).containsExactly(again, token, token);
        assertThat(history).extracting(LeasePastRun::isRunAgain).containsExactly(false, true, false);
        assertThat(history.get(1).name()).isEqualTo("b");
        assertThat(history.get(1).owner()).isEqualTo("ada");
        assertThat(operator.events).containsExactly(new LeaseEvent.RunAgain("key", "ada", token, "b"));
        assertThat(operator.events.get(0))
                .hasToString("RunAgain[key='key', by='ada', fencingToken=" + token + ", run='b']");
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .contains(
                        "Run 'b' of lease 'key', done with token " + token + ", may be run again: 'ada' asked for it");
    }

    @Test
    void aManagerWithoutAHistoryKeepsThatOfOthers() {
        List<LeasePastRun> before = seen().history();
        Bench.Node without = bench.start("without");

        assertThat(without.leases.runAgain("key", "b", token, "ada")).isTrue();

        assertThat(seen().history()).isEqualTo(before);
    }

    @Test
    void aRunWithAnItemOfItsOwnIsAllowedByTheKeyOfItsLease() {
        LeaseRequest any = LeaseRequest.of("any").once("b");
        long first = run(any);
        run(LeaseRequest.of("any").once("c"));
        assertThat(here.tryAcquire(any)).isEmpty();

        assertThat(operator.leases.runAgain("any", "b", first + 1, "ada")).isFalse();
        assertThat(operator.leases.runAgain("any", "a", first, "ada")).isFalse();
        assertThat(operator.leases.runAgain("any", "b", first, "ada")).isTrue();

        assertThat(here.tryAcquire(LeaseRequest.of("any").once("c"))).isEmpty();
        assertThat(here.tryAcquire(any)).isPresent();
    }

    @Test
    void nothingHappensIfTheTableIsNotAsItWasSeen() {
        LeaseItem before = bench.item("key");

        assertThat(operator.leases.runAgain("key", "a", token, "ada")).isFalse();
        assertThat(operator.leases.runAgain("key", "b", token + 1, "ada")).isFalse();
        assertThat(operator.leases.runAgain("other", "b", token, "ada")).isFalse();
        assertThat(bench.item("key")).isEqualTo(before);

        Lease held = here.acquire("key");
        assertThat(operator.leases.runAgain("key", "b", held.fencingToken(), "ada"))
                .isFalse();
        assertThat(operator.events).isEmpty();
        assertThat(operator.store.sent(REOPEN)).isEmpty();
    }

    @Test
    void oneOfTwoCallersSucceeds() {
        assertThat(operator.leases.runAgain("key", "b", token, "ada")).isTrue();
        assertThat(here.leases.runAgain("key", "b", token, "bob")).isFalse();
    }

    @Test
    void aRunThatBeginsAfterTheReadIsLeftAlone() {
        operator.store.next(REOPEN, write -> {
            here.acquire("key");
            write.answer(write.apply());
        });

        assertThat(allowing()).isCompletedWithValue(false);
    }

    // ---- lost replies, failures

    @Test
    void aLostReplyIsResolvedByTheNextRead() {
        operator.store.next(REOPEN, REPLY_LOST);
        CompletableFuture<Boolean> allowing = allowing();

        bench.advance(Duration.ofSeconds(3));

        assertThat(allowing).isCompletedWithValue(true);
        assertThat(operator.store.sent(REOPEN)).hasSize(1);
        assertThat(operator.events).hasSize(1);
    }

    @Test
    void aLostReplyIsResolvedThoughTheRunHasBegun() {
        operator.store.next(REOPEN, REPLY_LOST);
        CompletableFuture<Boolean> allowing = allowing();
        here.acquire(B);

        bench.advance(Duration.ofSeconds(3));

        assertThat(allowing).isCompletedWithValue(true);
    }

    @Test
    void aLostWriteIsSentAgain() {
        operator.store.next(REOPEN, LOST);
        CompletableFuture<Boolean> allowing = allowing();

        bench.advance(Duration.ofSeconds(3));

        assertThat(allowing).isCompletedWithValue(true);
        assertThat(operator.store.sent(REOPEN)).hasSize(2);
    }

    @Test
    void aLateCopyReopensNoLaterRun() {
        assertThat(allowing()).isCompletedWithValue(true);
        run(B);
        LeaseItem before = bench.item("key");

        operator.store.last(REOPEN).apply();

        assertThat(bench.item("key")).isEqualTo(before);
    }

    @Test
    void anOutageIsAStoreFailureAfterTheStoreTimeout() {
        operator.store.always(READ, refused("Throttled"));
        CompletableFuture<Boolean> allowing = allowing();

        bench.advance(Duration.ofMinutes(1));

        assertThat(allowing).isCompletedExceptionally();
        assertThatThrownBy(allowing::join).hasCauseInstanceOf(LeaseStoreException.class);
    }

    @Test
    void wrongArgumentsAndAClosedManagerAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> operator.leases.runAgain(" ", "b", token, "ada"));
        assertThatIllegalArgumentException().isThrownBy(() -> operator.leases.runAgain("key", " ", token, "ada"));
        assertThatIllegalArgumentException().isThrownBy(() -> operator.leases.runAgain("key", "b", 0, "ada"));
        assertThatIllegalArgumentException().isThrownBy(() -> operator.leases.runAgain("key", "b", token, ""));
        operator.leases.closeAsync();
        assertThatThrownBy(() -> operator.leases.runAgain("key", "b", token, "ada"))
                .isInstanceOf(LeaseException.class);
    }
}
