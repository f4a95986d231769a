package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.internal.EngineTable;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** DynamoDB's time as a manager reports it. */
class TimeTest {

    private final Bench bench = new Bench();

    private static void assertRight(Bench bench, Bench.Node node) {
        assertThat(Duration.between(bench.time.now(), node.leases.time()).abs())
                .isLessThanOrEqualTo(Duration.ofMillis(1_500));
    }

    @Test
    void itIsDynamoDbsWhateverTheLocalClockShows() {
        Bench.Node ahead = bench.start("ahead", builder -> {}, machine -> machine.jumpWallClock(Duration.ofHours(1)));
        bench.advance(Duration.ofMillis(300));

        assertRight(bench, ahead);
        bench.advance(Duration.ofMinutes(9));
        assertRight(bench, ahead);
    }

    @Test
    void onlyAnOldReplyCostsARead() {
        Bench.Node node = bench.start("node");

        node.leases.time();
        node.leases.time();
        assertThat(node.store.verbs()).containsExactly(READ);

        bench.advance(Duration.ofMinutes(11));
        node.leases.time();
        assertThat(node.store.verbs()).containsExactly(READ);
    }

    @Test
    void aStoreThatFailsIsAskedAgainForTheStoreTimeout() {
        Bench.Node node = bench.start("node", builder -> builder.storeTimeout(Duration.ofMillis(10)));
        node.store.always(READ, ScriptedStore.refused("Throttled"));

        assertThatThrownBy(node.leases::time)
                .isInstanceOf(LeaseStoreException.class)
                .hasMessageContaining("Throttled");
    }

    @Test
    void aDeniedReadTellsItToo() {
        Bench.Node node = bench.start("node");
        Exception denied = new IllegalStateException("not authorized");
        node.store.always(
                READ,
                request -> request.answer(new StoreReply.Failed(
                        StoreReply.FailureKind.REJECTED,
                        denied,
                        bench.time.now().truncatedTo(ChronoUnit.SECONDS),
                        false)));

        assertRight(bench, node);
    }

    @Test
    void aManagerThatIsClosedDoesNotTellIt() {
        Bench.Node node = bench.start("node");
        node.leases.closeAsync();

        assertThatThrownBy(node.leases::time).isInstanceOf(LeaseException.class).hasMessageContaining("is closed");
    }

    @Test
    void allThatAwaitItShareTheReads() {
        Bench.Node node = bench.start("node", builder -> builder.storeTimeout(Duration.ofSeconds(5)));
        node.store.always(READ, ScriptedStore.refused("Throttled"));
        CompletableFuture<Instant> first = table(node).awaitTime();
        bench.advance(Duration.ofSeconds(60));
        int readsForOne = node.store.verbs().size();

        List<CompletableFuture<Instant>> all =
                Stream.generate(table(node)::awaitTime).limit(1_000).toList();
        bench.advance(Duration.ofSeconds(60));
        assertThat(first).isNotDone();
        assertThat(node.store.verbs().size()).isBetween(1, 2 * readsForOne);

        all.get(0).cancel(true);
        node.store.heal();
        bench.advance(Duration.ofSeconds(2));
        assertThat(first).isCompleted();
        assertThat(all.subList(1, all.size())).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aCloseEndsTheWaitForIt() {
        Bench.Node node = bench.start("node", builder -> builder.storeTimeout(Duration.ofSeconds(5)));
        node.store.always(READ, ScriptedStore.refused("Throttled"));
        CompletableFuture<Instant> awaited = table(node).awaitTime();

        node.leases.closeAsync();
        bench.advance(Duration.ofSeconds(10));

        assertThat(awaited).isCompletedExceptionally();
    }

    @Test
    void theReadOfALastRunShowsItToo() {
        Bench.Node node = bench.start("node");

        CompletableFuture<Optional<String>> lastRun = table(node).awaitLastRun("job");

        assertThat(lastRun).isCompletedWithValue(Optional.empty());
        assertThat(table(node).awaitTime()).isCompleted();
        assertThat(node.store.verbs()).containsExactly(READ);
    }

    @Test
    void aLastRunThatIsAwaitedIsReadWhenTheStoreAnswersAgain() {
        Bench.Node node = bench.start("node", builder -> builder.storeTimeout(Duration.ofSeconds(5)));
        node.store.always(READ, ScriptedStore.refused("Throttled"));
        List<CompletableFuture<Optional<String>>> runs = IntStream.range(0, 200)
                .mapToObj(i -> table(node).awaitLastRun("job-" + i))
                .toList();
        bench.advance(Duration.ofSeconds(60));
        node.store.verbs();
        bench.advance(Duration.ofSeconds(60));
        assertThat(runs).noneMatch(CompletableFuture::isDone);
        assertThat(node.store.verbs().size()).as("probes").isBetween(1, 4 * 60 + 1);

        node.store.heal();
        bench.advance(Duration.ofSeconds(5));

        assertThat(runs).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aLastRunWhoseReadIsRejectedIsNotAwaited() {
        Bench.Node node = bench.start("node");
        node.store.always(READ, request -> request.fail(StoreReply.FailureKind.REJECTED, "not authorized"));

        assertThat(table(node).awaitLastRun("job")).isCompletedExceptionally();
    }

    @Test
    void aCloseEndsTheWaitForALastRun() {
        Bench.Node node = bench.start("node", builder -> builder.storeTimeout(Duration.ofSeconds(5)));
        node.store.always(READ, ScriptedStore.refused("Throttled"));
        CompletableFuture<Optional<String>> awaited = table(node).awaitLastRun("job");

        node.leases.closeAsync();
        bench.advance(Duration.ofSeconds(10));

        assertThat(awaited).isCompletedExceptionally();
    }

    private static EngineTable table(Bench.Node node) {
        return (EngineTable) node.leases;
    }
}
