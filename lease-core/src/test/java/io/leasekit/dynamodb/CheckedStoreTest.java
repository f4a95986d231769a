package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.OnceOrder;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.util.Throwables;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;

/** A store with a check, and an engine on it, in virtual time. */
class CheckedStoreTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final TableCheckTest.Time time = new TableCheckTest.Time();
    private final Table table = new Table(new InMemoryLeaseStore(new VirtualClock()));
    private RuntimeException problem = new LeaseStoreException("Connection refused", null);
    private LeaseTableKind kind; // null: the check fails with the problem

    private final TableCheck check = new TableCheck("leases", this::checked, time, Runnable::run, () -> 1, () -> {});
    private final CheckedStore store = new CheckedStore("leases", table, check);
    private final LeaseManager leases = new EngineBuilder(store)
            .time(time)
            .random(new Random(1))
            .callbackExecutor(Runnable::run)
            .sender(Runnable::run)
            .losses(Runnable::run)
            .ttl(Duration.ofSeconds(30))
            .storeTimeout(Duration.ofSeconds(6))
            .build();

    private LeaseTableKind checked() {
        if (kind == null) {
            throw problem;
        }
        return kind;
    }

    @Test
    void noLeaseIsGrantedBeforeTheTableIsChecked() {
        check.begin();

        CompletableFuture<Optional<Lease>> acquire = leases.acquireAsync(LeaseRequest.of("key"));
        time.advance(Duration.ofSeconds(20));

        assertThat(table.acquires).isZero();
        assertThatThrownBy(acquire::join)
                .hasCauseInstanceOf(LeaseStoreException.class)
                .hasMessageContaining(
                        "Lease 'key' in table 'in memory': Table 'leases' has not been checked yet: Connection refused");
    }

    /** An error that the client throws instead of a reply. */
    @Test
    void anErrorOfTheClientForgesNoLine() {
        problem = new IllegalStateException("broken\n2026-11-29 ERROR forged line");
        check.begin();

        CompletableFuture<Optional<Lease>> acquire = leases.acquireAsync(LeaseRequest.of("key"));
        time.advance(Duration.ofSeconds(20));

        assertThatThrownBy(acquire::join)
                .hasStackTraceContaining("broken\\u000a2026")
                .satisfies(error -> assertThat(Throwables.getStackTrace(error)).doesNotContain("broken\n"));
    }

    @Test
    void anAcquireThatWaitsGetsTheLeaseSoonAfterTheTableIsThere() {
        check.begin();
        time.advance(Duration.ofSeconds(62)); // the next check would be at 91 s

        CompletableFuture<Optional<Lease>> acquire =
                leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(5)));
        time.advance(Duration.ofSeconds(10));
        assertThat(acquire).isNotDone();
        kind = LeaseTableKind.REGIONAL;
        time.advance(Duration.ofSeconds(3));

        assertThat(acquire).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void anAcquireOutlivesCredentialsThatTheCheckFindsExpired() {
        check.begin();
        problem = new LeaseTableException("Expired", TableCheckTest.expiredToken());
        time.advance(Duration.ofSeconds(62));

        CompletableFuture<Optional<Lease>> acquire =
                leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(5)));
        time.advance(Duration.ofMinutes(1));
        assertThat(acquire).isNotDone();
        assertThat(leases.status().tableProblem()).isNull();
        kind = LeaseTableKind.REGIONAL;
        time.advance(Duration.ofSeconds(31));

        assertThat(acquire).isCompletedWithValueMatching(Optional::isPresent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Requested resource not found", "not found\nERROR forged line"})
    void anAbsentTableIsAFailureThatIsRetriedUntilTheCheckHasSucceeded(String reply) {
        check.begin();
        table.absent = Failures.failed(
                        ResourceNotFoundException.builder().message(reply).build(), false)
                .cause();

        assertThat(failure(store.send(new StoreRequest.Read("key"), TIMEOUT)).kind())
                .isEqualTo(FailureKind.NOT_APPLIED);
        table.resent = true;
        assertThat(failure(store.send(new StoreRequest.Read("key"), TIMEOUT)).kind())
                .isEqualTo(FailureKind.UNKNOWN);

        kind = LeaseTableKind.REGIONAL;
        time.advance(Duration.ofSeconds(2));
        assertThat(failure(store.send(new StoreRequest.Read("key"), TIMEOUT)).kind())
                .isEqualTo(FailureKind.REJECTED);
    }

    @Test
    void aTableRefusedInTheBackgroundGrantsNothingAndTheStatusTellsWhy() {
        check.begin();
        problem = new LeaseTableException("Table 'leases' is a global table", null);
        time.advance(Duration.ofSeconds(2));

        CompletableFuture<Optional<Lease>> acquire =
                leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(5)));
        time.advance(Duration.ofMinutes(6));

        assertThatThrownBy(acquire::join)
                .hasCauseInstanceOf(LeaseStoreException.class)
                .hasMessageContaining("Table 'leases' is a global table");
        assertThat(table.acquires).isZero();
        assertThat(leases.status().tableProblem()).isEqualTo("Table 'leases' is a global table");
    }

    @Test
    void aRefusedTableRenewsNothingSoHeldLeasesEnd() {
        kind = LeaseTableKind.REGIONAL;
        LeaseStore shared = table;
        TableCheck refused = new TableCheck(
                "leases",
                () -> {
                    throw problem;
                },
                time,
                Runnable::run,
                () -> 1,
                () -> {});
        Switched switched = new Switched(shared);
        LeaseManager held = new EngineBuilder(switched)
                .time(time)
                .random(new Random(2))
                .callbackExecutor(Runnable::run)
                .sender(Runnable::run)
                .losses(Runnable::run)
                .ttl(Duration.ofSeconds(30))
                .build();
        Lease lease = held.tryAcquire("key").orElseThrow();
        List<LeaseLossReason> lost = new ArrayList<>();
        var unused = lease.lost().thenAccept(lost::add);

        refused.begin();
        problem = new LeaseTableException("Wrong", null);
        time.advance(Duration.ofSeconds(1));
        switched.store = new CheckedStore("leases", table, refused);
        time.advance(Duration.ofSeconds(31));

        assertThat(lost).containsExactly(LeaseLossReason.EXPIRED);
    }

    @Test
    void aBatchIsRefusedAsAWhole() {
        check.begin();
        problem = new LeaseTableException("Wrong", null);
        time.advance(Duration.ofSeconds(1));

        StoreRequest.Batch batch = new StoreRequest.Batch(List.of(renewal("one"), renewal("two")));

        assertThat(failure(store.send(batch, TIMEOUT)).kind()).isEqualTo(FailureKind.REJECTED);
    }

    private static RenewCommand renewal(String key) {
        return new RenewCommand(
                key, "v-00000002", 1_900_000_000L, 1_000, new VersionRange("v-00000001", "v-00000001"), Edits.NONE);
    }

    @Test
    void aStronglyConsistentGlobalTableHasLeasesOfOneKey() {
        kind = LeaseTableKind.STRONGLY_CONSISTENT_GLOBAL;
        check.begin();

        assertThat(store.kind()).isEqualTo(LeaseTableKind.STRONGLY_CONSISTENT_GLOBAL);
        assertThat(leases.status().transactions()).isFalse();
        assertThat(leases.tryAcquire("key")).isPresent();
        assertThat(leases.tryAcquire(LeaseRequest.of("books").once("2026-11-22", OnceOrder.GROWING)))
                .isPresent();
    }

    @Test
    void aStronglyConsistentGlobalTableRefusesWhatNeedsTransactionsByName() {
        kind = LeaseTableKind.STRONGLY_CONSISTENT_GLOBAL;
        check.begin();
        String noTransactions = "Table 'leases' is a global table with multi-Region strong consistency, which has no"
                + " transactions, but ";

        assertThatThrownBy(() -> leases.acquireAll("one", "two"))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessageContaining(noTransactions + "a lease of several keys needs one");
        assertThatThrownBy(() -> leases.tryAcquire(LeaseRequest.of("import").once("file", OnceOrder.ANY)))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessageContaining(noTransactions + "a run in any order (OnceOrder.ANY) needs one");
        Lease lease = leases.tryAcquire("key").orElseThrow();
        assertThatThrownBy(lease::conditionCheck)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage(noTransactions + "a condition check needs one");
    }

    private static StoreReply.Failed failure(CompletionStage<StoreReply> reply) {
        return (StoreReply.Failed) reply.toCompletableFuture().join();
    }

    /** A table that may be absent. */
    private static class Table implements LeaseStore {

        private final InMemoryLeaseStore items;
        private int acquires;
        private @Nullable Throwable absent; // the error for an absent table; null: it exists
        private boolean resent;

        Table(InMemoryLeaseStore items) {
            this.items = items;
        }

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            acquires +=
                    request instanceof StoreRequest.Write write && !(write.command() instanceof RenewCommand) ? 1 : 0;
            return absent != null && request instanceof StoreRequest.Read
                    ? CompletableFuture.completedFuture(
                            new StoreReply.Failed(FailureKind.REJECTED, absent, null, resent))
                    : items.send(request, timeout);
        }

        @Override
        public StoreInfo info() {
            return items.info()
                    .withConditionChecks(
                            (key, token, tenure) -> ConditionCheck.builder().build());
        }
    }

    /** A store that is exchanged under a running engine. */
    private static final class Switched implements LeaseStore {

        private LeaseStore store;

        Switched(LeaseStore store) {
            this.store = store;
        }

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            return store.send(request, timeout);
        }

        @Override
        public StoreInfo info() {
            return store.info();
        }
    }

    private final class VirtualClock extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return time.now();
        }
    }
}
