package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;

class LeaseHealthTest {

    private final Reads reads = new Reads();
    private final LeaseManager leases =
            LeaseManager.builder(reads).closeTimeout(Duration.ZERO).build();

    private Map<String, LeaderElection> leaders = Map.of();

    @AfterEach
    void close() {
        leases.close();
    }

    private LeaseHealth health(boolean annotated) {
        return new LeaseHealth(
                () -> Map.of("leaseManager", leases), () -> annotated, () -> "prefix/lease-health", () -> leaders);
    }

    @Test
    void withoutTrafficOneReadTellsAndTheNextChecksSendNone() {
        LeaseHealth health = health(true);

        assertThat(health.check().up()).isTrue();
        assertThat(health.check().up()).isTrue();
        assertThat(reads.keys).containsExactly("prefix/lease-health");
    }

    @Test
    void aFailingReadIsNotRepeatedAtOnceEither() {
        reads.failing = true;
        LeaseHealth health = health(true);

        assertThat(health.check().up()).as("failing for less than one ttl").isTrue();
        assertThat(health.check().details().get("leaseManager"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsKey("failingFor")
                .containsEntry("lastError", "IllegalStateException: Broken");
        assertThat(health.check().up()).isTrue();
        assertThat(reads.keys).hasSize(1);
    }

    @Test
    void trafficMakesTheReadNeedless() {
        leases.find("key");

        assertThat(health(true).check().up()).isTrue();
        assertThat(reads.keys).containsExactly("key");
    }

    @Test
    void withoutAnnotatedMethodsNothingIsSent() {
        assertThat(health(false).check().up()).isTrue();
        assertThat(reads.keys).isEmpty();
    }

    @Test
    void withoutAManagerItIsUp() {
        LeaseHealth health = new LeaseHealth(Map::of, () -> true, () -> "key", Map::of);

        assertThat(health.check()).satisfies(result -> {
            assertThat(result.up()).isTrue();
            assertThat(result.details()).isEmpty();
        });
    }

    @Test
    void aMockOfATestHasNoState() {
        LeaseManager mock = Mockito.mock();
        LeaseHealth health = new LeaseHealth(() -> Map.of("mock", mock), () -> true, () -> "key", Map::of);

        assertThat(health.check()).satisfies(result -> {
            assertThat(result.up()).isTrue();
            assertThat(result.details()).isEmpty();
        });
    }

    @Test
    void aLeaderThatIsNotToldToStopIsUp() {
        leaders = Map.of("Ingest.run", new FakeElection(true, null));

        assertThat(health(false).check().up()).isTrue();
        assertThat(health(false).check().details())
                .containsEntry("leaders", Map.of("Ingest.run", Map.of("leads", true)));
    }

    @Test
    void aLeaderIsDownOnceItRunsLongerThanItsStopTimeoutAfterItWasTold() {
        leaders = Map.of("Ingest.run", new FakeElection(false, FakeElection.STOP_TIMEOUT));
        assertThat(health(false).check().up()).isTrue();

        leaders = Map.of("Ingest.run", new FakeElection(false, FakeElection.STOP_TIMEOUT.plusMillis(1)));
        assertThat(health(false).check().up()).isFalse();
        assertThat(health(false).check().details())
                .containsEntry("leaders", Map.of("Ingest.run", Map.of("leads", false, "stoppingFor", "PT10.001S")));
    }

    @Test
    void itShowsNumbersAndNoKeys() {
        assertThat(leases.tryAcquire("secret-key")).isPresent();

        assertThat(health(true).check().details().toString())
                .contains("held=1", "waiting=0", "overdue=0", "sinceSuccess=PT")
                .doesNotContain("secret-key");
    }

    /** Times are in seconds. The ttl is 60 s. */
    @ParameterizedTest(name = "{5}")
    @CsvSource({
        "0, 5, , , true, the last request succeeded",
        "0, , , , true, no request was sent yet",
        "0, 5, 4, , true, the store recovered",
        "0, 50, 1, 45, true, failing for less than one ttl",
        "0, 65, 1, 59, true, failing for just under one ttl",
        "0, 65, 1, 60, false, failing for one ttl",
        "0, , 1, 60, false, failing since the start",
        "0, 300, 89, 200, false, last attempt a short while ago",
        "0, 900, 91, 200, true, state unknown without a recent attempt",
        "1, 5, , , false, a held lease is overdue"
    })
    void upAndDown(
            int overdue,
            @Nullable Integer sinceSuccess,
            @Nullable Integer sinceFailure,
            @Nullable Integer failingFor,
            boolean up,
            String why) {
        LeaseManagerStatus status = new LeaseManagerStatus(
                "here",
                Duration.ofSeconds(60),
                overdue,
                0,
                overdue,
                0,
                seconds(sinceSuccess),
                seconds(sinceFailure),
                seconds(failingFor),
                null,
                null,
                true,
                null,
                null);

        assertThat(LeaseHealth.isUp(status)).as(why).isEqualTo(up);
    }

    @Test
    void aRefusedTableIsDownAtOnce() {
        LeaseManagerStatus status = new LeaseManagerStatus(
                "here",
                Duration.ofSeconds(60),
                0,
                0,
                0,
                0,
                seconds(1),
                null,
                null,
                null,
                null,
                true,
                "Wrong key",
                null);

        assertThat(LeaseHealth.isUp(status)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({", , true", "29, , false", "30, , true", "45, 29, false", ", 29, false", "31, 31, true"})
    void silence(@Nullable Integer sinceSuccess, @Nullable Integer sinceFailure, boolean silent) {
        LeaseManagerStatus status = new LeaseManagerStatus(
                "here",
                Duration.ofSeconds(60),
                0,
                0,
                0,
                0,
                seconds(sinceSuccess),
                seconds(sinceFailure),
                null,
                null,
                null,
                true,
                null,
                null);

        assertThat(LeaseHealth.isSilent(status)).isEqualTo(silent);
    }

    private static @Nullable Duration seconds(@Nullable Integer seconds) {
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }

    private static final class Reads implements LeaseStore {

        private final InMemoryLeaseStore table = new InMemoryLeaseStore();
        private final List<String> keys = new CopyOnWriteArrayList<>();
        private volatile boolean failing;

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            if (!(request instanceof StoreRequest.Read read)) {
                return table.send(request, timeout);
            }
            keys.add(read.key());
            return failing
                    ? CompletableFuture.completedFuture(new StoreReply.Failed(
                            StoreReply.FailureKind.UNKNOWN, new IllegalStateException("Broken"), null, false))
                    : table.send(request, timeout);
        }

        @Override
        public StoreInfo info() {
            return new StoreInfo("'reads'");
        }
    }
}
