package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.leasekit.Lease;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.ReleaseMode;
import io.leasekit.records.RecordTable;
import io.leasekit.records.RunHistory;
import io.leasekit.store.RenewCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The last runs of a key, in its item. */
class RunHistoryTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.runHistory(3));
    private final Bench.Node other = bench.start("other", builder -> builder.runHistory(3));

    private void run(Bench.Node node, String name, LeaseRunOutcome outcome) {
        Lease lease = node.acquire(LeaseRequest.of("job").once(name, OnceOrder.GROWING));
        bench.advance(Duration.ofSeconds(2));
        lease.recordRun(outcome, outcome == LeaseRunOutcome.SUCCEEDED ? null : new IllegalStateException("secret"));
        lease.close();
    }

    private List<LeasePastRun> history() {
        return here.leases.history("job");
    }

    @Test
    void theLastRunsOfAllNodesAreShownTheLatestFirst() {
        run(here, "1", LeaseRunOutcome.SUCCEEDED);
        run(other, "2", LeaseRunOutcome.FAILED);
        run(here, "3", LeaseRunOutcome.RETRY);
        run(other, "3", LeaseRunOutcome.SUCCEEDED);

        assertThat(history()).extracting(LeasePastRun::name).containsExactly("3", "3", "2");
        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("other", "here", "other");
        assertThat(history())
                .extracting(LeasePastRun::outcome)
                .containsExactly(LeaseRunOutcome.SUCCEEDED, LeaseRunOutcome.RETRY, LeaseRunOutcome.FAILED);
        assertThat(history())
                .extracting(LeasePastRun::error)
                .containsExactly(null, "java.lang.IllegalStateException", "java.lang.IllegalStateException");
        assertThat(history()).allSatisfy(run -> {
            assertThat(run.duration()).isEqualTo(Duration.ofSeconds(2));
            assertThat(run.begunAt()).isNotNull();
            assertThat(run.fencingToken()).isPositive();
        });
    }

    @Test
    void itCostsNoRequest() {
        here.sample(2);

        run(here, "1", LeaseRunOutcome.SUCCEEDED);

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, RELEASE);
    }

    @Test
    void theRunOfADeadHolderIsShownAsNotFinished() {
        run(here, "1", LeaseRunOutcome.SUCCEEDED);
        Lease dead = here.acquire(LeaseRequest.of("job").once("2", OnceOrder.GROWING));
        here.store.always(LOST);
        bench.advance(Bench.TTL.multipliedBy(2));
        run(other, "2", LeaseRunOutcome.SUCCEEDED);
        here.store.heal();

        assertThat(other.leases.history("job"))
                .extracting(LeasePastRun::fencingToken, LeasePastRun::owner, LeasePastRun::outcome)
                .startsWith(
                        tuple(
                                other.leases.find("job").orElseThrow().fencingToken(),
                                "other",
                                LeaseRunOutcome.SUCCEEDED),
                        tuple(dead.fencingToken(), "here", null))
                .hasSize(3);
    }

    /** A job that kills one node after the other is what people look for. */
    @Test
    void theRunsOfAllDeadHoldersAreShownWithTheirNames() {
        List<Long> dead = new ArrayList<>();
        for (String node : List.of("a", "b", "c")) {
            dead.add(dies(node, "2").fencingToken());
        }
        run(other, "2", LeaseRunOutcome.SUCCEEDED);

        assertThat(history())
                .extracting(LeasePastRun::fencingToken, LeasePastRun::owner, LeasePastRun::name, LeasePastRun::outcome)
                .startsWith(
                        tuple(
                                other.leases.find("job").orElseThrow().fencingToken(),
                                "other",
                                "2",
                                LeaseRunOutcome.SUCCEEDED),
                        tuple(dead.get(2), "c", "2", null),
                        tuple(dead.get(1), "b", "2", null))
                .hasSize(3);
    }

    /** Acquires the lease on a new node, which sends nothing more. */
    private Lease dies(String owner, @Nullable String run) {
        Bench.Node node = bench.start(owner, builder -> builder.runHistory(3));
        LeaseRequest request = LeaseRequest.of("job");
        Lease lease = node.acquire(run == null ? request : request.once(run, OnceOrder.GROWING));
        node.store.always(LOST);
        bench.advance(Bench.TTL.multipliedBy(2));
        return lease;
    }

    @Test
    void aDeadHolderIsShownThoughTheNextOneReportsNoEnd() {
        dies("a", "2");

        here.acquire(LeaseRequest.of("job").once("2", OnceOrder.GROWING)).close();

        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("a");
    }

    @Test
    void aDeadHolderIsShownByTheReleaseIfNoRenewalHasWrittenIt() {
        dies("a", "2");
        here.sample(2);
        here.store.always(RENEW, LOST);
        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("job").once("2", OnceOrder.GROWING));
        bench.advance(Duration.ofSeconds(2));

        acquiring.join().orElseThrow().close();

        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("a");
    }

    @Test
    void aDeadHolderIsShownThoughTheNextOneGivesUp() {
        dies("a", "2");
        here.sample(2);
        here.store.next(ACQUIRE, request -> bench.time.schedule(1_000_000_000L, request::deliver));
        CompletableFuture<?> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("job").once("2", OnceOrder.GROWING));

        acquiring.cancel(true);
        bench.advance(Duration.ofSeconds(3));

        assertThat(bench.isHeld("job")).isFalse();
        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("a");
    }

    /** Work that kills its node at once must not be handed out before the table shows the node that it has killed before. */
    @Test
    void theWorkBeginsWhenTheTableShowsTheDeadHolder() {
        dies("a", "2");
        here.sample(2);
        here.store.next(RENEW, LOST);
        CompletableFuture<?> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("job").once("2", OnceOrder.GROWING));
        assertThat(acquiring).isNotDone();

        here.store.sent(RENEW).get(0).deliver();

        assertThat(acquiring).isCompleted();
        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("a");
    }

    @Test
    void aDeadHolderIsShownThoughTheReplyToTheTakeOverIsLost() {
        Lease dead = other.acquire(LeaseRequest.of("job").once("2", OnceOrder.GROWING));
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(
                LeaseRequest.of("job").once("2", OnceOrder.GROWING).waitFor(Duration.ofMinutes(5)));
        other.store.always(LOST);
        here.store.next(ACQUIRE, REPLY_LOST);
        bench.advance(Bench.TTL.multipliedBy(3));
        acquiring.join().orElseThrow().close();

        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("other");
        assertThat(history()).extracting(LeasePastRun::fencingToken).containsExactly(dead.fencingToken());
    }

    @Test
    void aDeadHolderWithARunIsShownToOneWithout() {
        dies("a", "2");

        here.acquire("job").close();

        assertThat(history())
                .extracting(LeasePastRun::owner, LeasePastRun::name)
                .containsExactly(tuple("a", "2"));
    }

    @Test
    void aDeadHolderIsShownThoughTheNextOneHandsOver() {
        dies("a", "2");
        Lease lease = here.acquire("job");
        CompletableFuture<Optional<Lease>> next =
                here.leases.acquireAsync(LeaseRequest.of("job").waitFor(Duration.ofMinutes(5)));
        lease.close();
        next.join().orElseThrow().close();

        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("a");
    }

    @Test
    void aTakeOverCostsOneRequestMoreAndAnOrdinaryRenewalNone() {
        dies("a", "2");
        here.sample(2);
        Lease lease = here.acquire(LeaseRequest.of("job").once("2", OnceOrder.GROWING));
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, RENEW);

        assertThat(history()).extracting(LeasePastRun::owner).containsExactly("a");

        bench.advance(Bench.TTL);

        assertThat(here.store.sent(RENEW))
                .isNotEmpty()
                .allSatisfy(request -> assertThat(
                                ((RenewCommand) request.command).edits().changesRecords())
                        .isFalse());
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void severalKeysAndPermitsHaveNoHistory() {
        for (LeaseRequest request : List.of(
                LeaseRequest.ofAll("job", "too"),
                LeaseRequest.of("job").permits(2),
                LeaseRequest.of("job").once("1"))) {
            here.acquire(request);
            here.store.always(LOST);
            bench.advance(Bench.TTL.multipliedBy(2));
            here.store.heal();
            Lease next = other.acquire(request);
            next.recordRun(LeaseRunOutcome.SUCCEEDED);
            next.close();
        }

        assertThat(bench.table.items().values())
                .allSatisfy(item ->
                        assertThat(item.records().text(RecordTable.HISTORY)).isNull());
    }

    @Test
    void aReleaseThatIsSentTwiceIsOneRun() {
        here.store.next(RELEASE, REPLY_LOST);
        run(here, "1", LeaseRunOutcome.SUCCEEDED);
        bench.advance(Duration.ofSeconds(10));

        assertThat(history()).hasSize(1);
    }

    @Test
    void itIsKeptWhereReleasesDeleteTheirItems() {
        Bench.Node deleting =
                bench.start("deleting", builder -> builder.runHistory(3).releaseMode(ReleaseMode.DELETE));
        Lease lease = deleting.acquire("job");
        bench.advance(Duration.ofSeconds(10));
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.close();

        assertThat(history()).hasSize(1);
    }

    @Test
    void aManagerWithoutAHistoryLeavesThatOfOthers() {
        run(here, "1", LeaseRunOutcome.SUCCEEDED);

        run(bench.start("plain"), "2", LeaseRunOutcome.SUCCEEDED);

        assertThat(history()).extracting(LeasePastRun::name).containsExactly("1");
    }

    @Test
    void namesOfAllKindsAreRead() {
        String name = "a\tb\nc%=+\u00e4 ";
        run(here, name, LeaseRunOutcome.SUCCEEDED);

        assertThat(history()).extracting(LeasePastRun::name).containsExactly(name);
    }

    @Test
    void longNamesShortenIt() {
        String text = null;
        for (int i = 0; i < 50; i++) {
            LeasePastRun run = new LeasePastRun("\u00e4".repeat(512) + i, "owner", i + 1, null, null, null, null);
            text = RunHistory.with(text, run, 50);
        }

        assertThat(text).hasSizeLessThan(32 * 1024);
        assertThat(RunHistory.runs(text)).hasSizeBetween(9, 20);
        assertThat(RunHistory.runs(text).get(0).fencingToken()).isEqualTo(50);
    }

    @Test
    void whatCannotBeReadIsLeftOut() {
        String text = RunHistory.with(null, new LeasePastRun("1", null, 7, null, null, null, null), 5);

        assertThat(RunHistory.runs("garbage\n" + text + "\n%zz\t\t\t\t\t\t\nx\t\t\t\t\tLATER\t"))
                .extracting(LeasePastRun::name)
                .containsExactly("1");
        assertThat(RunHistory.runs(null)).isEmpty();
    }

    @Test
    void fiftyRunsOfAUsualJobAreAboutFiveKilobytes() {
        String text = null;
        for (int i : IntStream.range(0, 60).toArray()) {
            LeasePastRun run = new LeasePastRun(
                    "2026-11-26T06:" + (10 + i % 50) + ":00Z",
                    "shop-host-7",
                    1_900_000_000_000L + i,
                    bench.time.now(),
                    Duration.ofMillis(12_345),
                    LeaseRunOutcome.SUCCEEDED,
                    null);
            text = RunHistory.with(text, run, 50);
        }

        assertThat(text.lines()).hasSize(50);
        assertThat(text).hasSizeBetween(4_000, 5_500);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 51})
    void aNumberOutOfRangeIsRefused(int most) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bench.start("wrong", builder -> builder.runHistory(most)))
                .withMessage("runHistory is " + most + ", expected from 0 to 50");
    }
}
