package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import io.leasekit.OnceOrder;
import io.leasekit.ProgressCodec;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/** The cost of a lease: the number of requests that leave this process, including copies. */
class RequestCountIT {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Wire wire = new Wire();
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder()
            .overrideConfiguration(LocalTable.withoutRetries(wire))
            .build();
    private final LeaseManager leases = LocalTable.leases(client).build(); // renews too late to be counted by chance
    private final LeaseManager beating = LocalTable.leases(client)
            .ttl(Duration.ofSeconds(20))
            .heartbeatInterval(Duration.ofMillis(400))
            .build();
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void close() {
        leases.close();
        beating.close();
        client.close();
    }

    @OneOfThree
    void theFirstLeaseOfAProcessCostsOneReadForTheClock() {
        leases.tryAcquire(key).orElseThrow().close();

        assertThat(wire.count(Wire::isRead)).isOne();
        assertThat(wire.count(Wire::isAcquire)).isOne();
        assertThat(wire.count(Wire::isRelease)).isOne();
        assertThat(wire.sent(any -> true)).hasSize(3);
    }

    @OneOfThree
    void theCheckOfTheTableCostsFiveRequestsAndWritesNothing() {
        CheckedStore.builder()
                .client(client)
                .table(LocalTable.NAME)
                .keyPrefix(key)
                .open()
                .close();

        assertThat(wire.sent(any -> true))
                .extracting(sent -> sent.getClass().getSimpleName())
                .containsExactlyInAnyOrder(
                        "DescribeTableRequest",
                        "DescribeTimeToLiveRequest",
                        "UpdateItemRequest",
                        "GetItemRequest",
                        "BatchExecuteStatementRequest");
        assertThat(LocalTable.attributes(key + "#permissions")).isEmpty();
    }

    @OneOfThree
    void deletingReleasesCostOneRequestMoreInTheCheck() {
        CheckedStore.builder()
                .client(client)
                .table(LocalTable.NAME)
                .deletesItems(true)
                .open()
                .close();

        assertThat(wire.count(any -> true)).isEqualTo(6);
        assertThat(wire.count(Wire::isDelete)).isOne();
    }

    @OneOfThree
    void theCheckOfPermissionsCanBeSwitchedOff() {
        CheckedStore.builder()
                .client(client)
                .table(LocalTable.NAME)
                .permissions(PermissionCheck.OFF)
                .open()
                .close();

        assertThat(wire.count(any -> true)).isEqualTo(2);
    }

    @OneOfThree
    void anotherLeaseCostsOneAcquireAndOneRelease() {
        leases.tryAcquire("first-" + key).orElseThrow().close();
        int before = wire.count(any -> true);

        leases.tryAcquire(key).orElseThrow().close();

        assertThat(wire.count(Wire::isAcquire)).isEqualTo(2);
        assertThat(wire.count(Wire::isRelease)).isEqualTo(2);
        assertThat(wire.count(any -> true) - before).isEqualTo(2);
    }

    /** Reading it costs nothing: the acquire has shown it. */
    @OneOfThree
    void aSaveCostsOneRequestAndANoteNone() {
        LeaseRequest job = LeaseRequest.of(key).resumable();
        Lease lease = leases.acquire(job);
        int before = wire.count(any -> true);

        lease.progress(ProgressCodec.text()).save("1");
        lease.progress(ProgressCodec.text()).note("2");
        lease.close();
        lease = leases.acquire(job);
        assertThat(lease.progress(ProgressCodec.text()).last()).contains("2");

        assertThat(wire.count(Wire::isRenewal)).isOne();
        assertThat(wire.count(Wire::isRelease)).isOne();
        assertThat(wire.count(Wire::isAcquire)).isEqualTo(2);
        assertThat(wire.count(any -> true) - before).isEqualTo(3);
        lease.close();
    }

    @OneOfThree
    void pausesCostNoReadBesideThatOfTheClockForFiveSeconds() {
        try (LeaseManager pausing = LocalTable.leases(client).pauses(true).build()) {
            pausing.tryAcquire("first-" + key).orElseThrow().close();
            pausing.tryAcquire(key).orElseThrow().close();
        }

        assertThat(wire.count(Wire::isRead)).isOne();
        assertThat(wire.count(any -> true)).isEqualTo(1 + 2 + 2);
    }

    @OneOfThree
    void aHeldLeaseCostsOneRequestPerRenewalAndNothingBesides() {
        long begun = System.nanoTime();
        Lease lease = beating.tryAcquire(key).orElseThrow();
        Awaitility.await().atMost(PATIENCE).until(() -> wire.count(Wire::isRenewal) >= 4);
        lease.close();
        Duration held = Duration.ofNanos(System.nanoTime() - begun);

        List<SdkRequest> renewals = wire.sent(Wire::isRenewal);
        String last = ((UpdateItemRequest) renewals.get(renewals.size() - 1))
                .expressionAttributeValues()
                .get(":" + Attributes.VERSION)
                .s();
        assertThat(last).endsWith(String.format("-%08x", 1 + renewals.size())); // each with a version of its own
        assertThat(renewals).hasSizeLessThanOrEqualTo((int) (held.toMillis() / 360)); // jitter: a tenth at most
        assertThat(wire.count(any -> true)).isEqualTo(1 + 1 + renewals.size() + 1);
    }

    @OneOfThree
    void aPassiveLeaseCostsItsAcquireItsReleaseAndARequestForEachExtension() throws Exception {
        beating.tryAcquire("first-" + key).orElseThrow().close();
        int before = wire.count(any -> true);

        Lease lease = beating.tryAcquire(LeaseRequest.of(key).passive()).orElseThrow();
        lease.extend(Duration.ofSeconds(60));
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS))
                .get(10, TimeUnit.MINUTES); // two heartbeats of the manager
        lease.close();

        assertThat(wire.count(Wire::isRenewal)).isOne();
        assertThat(wire.count(any -> true) - before).isEqualTo(3);
    }

    @Tag("full")
    @OneOfThree
    void fiftyHeldLeasesCostTwoRequestsAHeartbeat() throws Exception {
        try (LeaseManager many = LocalTable.leases(client)
                .ttl(Duration.ofSeconds(24))
                .heartbeatInterval(Duration.ofSeconds(8))
                .build()) {
            List<Lease> held = acquireTogether(many);
            int before = wire.count(any -> true);

            Awaitility.await().atMost(PATIENCE).until(() -> timesOfEach(held, tenures(sentSince(before))) >= 3);

            List<SdkRequest> sent = sentSince(before);
            assertThat(sent)
                    .allMatch(Wire::isBatch)
                    .hasSizeLessThanOrEqualTo(2 * tenures(sent).size() / held.size() + 1);
            assertThat(held).allMatch(Lease::isValid);
        }
    }

    /** Acquires 50 leases within less than a tenth of a heartbeat; as often as the machine needs to be so fast. */
    private static List<Lease> acquireTogether(LeaseManager manager) throws Exception {
        for (int tries = 0; tries < 50; tries++) {
            List<Lease> acquired = acquireAll(manager);
            LongSummaryStatistics times = acquired.stream()
                    .mapToLong(lease -> lease.acquiredAt().toEpochMilli())
                    .summaryStatistics();
            if (times.getMax() - times.getMin() <= 600) {
                return acquired;
            }
            acquired.forEach(Lease::close);
        }
        throw new AssertionError("50 leases were never acquired within 600 ms");
    }

    private static List<Lease> acquireAll(LeaseManager manager) throws Exception {
        List<CompletableFuture<Optional<Lease>>> acquiring = IntStream.range(0, 50)
                .mapToObj(i ->
                        manager.acquireAsync(LeaseRequest.of(UUID.randomUUID().toString())))
                .toList();
        List<Lease> acquired = new ArrayList<>();
        for (CompletableFuture<Optional<Lease>> each : acquiring) {
            acquired.add(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow());
        }
        return acquired;
    }

    private List<SdkRequest> sentSince(int before) {
        List<SdkRequest> sent = wire.sent(any -> true);
        return sent.subList(before, sent.size());
    }

    /** Returns how often each of these leases has been renewed. */
    private static long timesOfEach(List<Lease> leases, List<String> tenures) {
        Map<String, Long> times =
                tenures.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return times.size() < leases.size() ? 0 : Collections.min(times.values());
    }

    /** Returns the tenure of each renewal in these batches: its new version without the number of the write. */
    private static List<String> tenures(List<SdkRequest> sent) {
        return sent.stream()
                .filter(Wire::isBatch)
                .flatMap(batch -> ((BatchExecuteStatementRequest) batch).statements().stream())
                .map(statement -> statement.parameters().get(0).s())
                .map(version -> version.substring(0, version.lastIndexOf('-')))
                .toList();
    }

    @OneOfThree
    void aRefusalCostsOneRequest() {
        try (LeaseManager others = LocalTable.leases(LocalTable.client()).build()) {
            leases.tryAcquire("first-" + key).orElseThrow().close();
            int before = wire.count(any -> true);
            Lease theirs = others.tryAcquire(key).orElseThrow();

            assertThat(leases.tryAcquire(key)).isEmpty();

            assertThat(wire.count(any -> true) - before).isOne();
            theirs.close();
        }
    }

    @OneOfThree
    void waitingForAnotherProcessCostsReadsAndTwoAcquires() throws Exception {
        try (LeaseManager others = LocalTable.leases(LocalTable.client()).build()) {
            leases.tryAcquire("first-" + key).orElseThrow().close();
            Lease theirs = others.tryAcquire(key).orElseThrow();
            int before = wire.count(any -> true);
            int readsBefore = wire.count(Wire::isRead);

            CompletableFuture<Optional<Lease>> waiting =
                    leases.acquireAsync(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10)));
            Awaitility.await().atMost(PATIENCE).until(() -> wire.count(Wire::isRead) >= readsBefore + 4);
            theirs.close();
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow().close();

            int reads = wire.count(Wire::isRead) - readsBefore;
            assertThat(wire.count(Wire::isAcquire)).isEqualTo(1 + 2); // the first was refused, the last was not
            assertThat(wire.count(any -> true) - before).isEqualTo(reads + 2 + 1);
        }
    }

    @OneOfThree
    void aKeyThatAnotherProcessHasJustReleasedCostsAtMostOneRequestMore() {
        try (LeaseManager others = LocalTable.leases(LocalTable.client()).build()) {
            leases.tryAcquire("first-" + key).orElseThrow().close();
            others.tryAcquire(key).orElseThrow().close();
            int before = wire.count(any -> true);

            leases.tryAcquire(key).orElseThrow().close();

            assertThat(wire.count(any -> true) - before).isBetween(2, 3); // refused only if its token is not the larger
        }
    }

    @OneOfThree
    void callersOfOneProcessCostOneRequestEach() throws Exception {
        int sections = 80;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        leases.tryAcquire("first-" + key).orElseThrow().close();
        int before = wire.count(any -> true);

        List<Future<?>> bodies = new ArrayList<>();
        for (int i = 0; i < sections; i++) {
            bodies.add(threads.submit(() ->
                    leases.run(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10)), lease -> lease.ensureValid())));
        }
        for (Future<?> body : bodies) {
            body.get();
        }
        threads.shutdown();

        assertThat(wire.count(Wire::isAcquire)).isEqualTo(1 + sections);
        assertThat(wire.count(any -> true) - before).isBetween(sections + 1, sections + sections / 10);
    }

    @OneOfThree
    void aForcedReleaseCostsOneRequestAndRevokesTheLease() {
        Lease lease = beating.tryAcquire(key).orElseThrow();
        int before = wire.count(Wire::isRevoke);

        assertThat(beating.forceRelease(key, lease.fencingToken()).isDone()).isTrue();

        assertThat(wire.count(Wire::isRevoke) - before).isOne();
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED));
        assertThat(beating.tryAcquire(key)).isEmpty();
        beating.forceRelease(key, lease.fencingToken(), ForcedRelease.TwoMayRun.IMMEDIATELY);
        beating.tryAcquire(key).orElseThrow().close();
    }

    @OneOfThree
    void aRunThatMayBeRunAgainCostsAReadAndAWrite() {
        LeaseRequest request = LeaseRequest.of(key).once("2026-11-21", OnceOrder.GROWING);
        leases.run(request, lease -> {});
        LeaseInfo seen = leases.find(key).orElseThrow();
        int before = wire.count(any -> true);

        assertThat(leases.runAgain(key, "2026-11-21", seen.fencingToken(), "ada"))
                .isTrue();

        assertThat(wire.count(any -> true) - before).isEqualTo(2);
        leases.run(request, lease -> {});
        assertThat(leases.tryAcquire(request)).isEmpty();
    }

    @OneOfThree
    void heldCostsNothing() {
        Lease lease = leases.tryAcquire(key).orElseThrow();
        int before = wire.count(any -> true);

        assertThat(leases.held()).extracting(LeaseStatus::key).containsExactly(key);

        assertThat(wire.count(any -> true) - before).isLessThanOrEqualTo(1); // a renewal, perhaps
        lease.close();
    }

    @OneOfThree
    void aLeaseOfManyKeysCostsWhatOneOfOneKeyCosts() {
        List<String> keys = IntStream.range(0, 20).mapToObj(i -> key + "-" + i).toList();
        leases.tryAcquire("first-" + key).orElseThrow().close();
        int before = wire.count(any -> true);

        leases.acquire(LeaseRequest.ofAll(keys)).close();

        assertThat(wire.count(Wire::isTransaction)).isEqualTo(2);
        assertThat(wire.count(any -> true) - before).isEqualTo(2);
        List<String> tokens = wire.sent(Wire::isTransaction).stream()
                .map(sent -> ((TransactWriteItemsRequest) sent).clientRequestToken())
                .toList();
        assertThat(tokens).doesNotHaveDuplicates().doesNotContainNull();
    }

    @OneOfThree
    void oneKeyThatIsHeldRefusesManyByOneRequest() {
        try (LeaseManager others = LocalTable.leases(LocalTable.client()).build()) {
            leases.tryAcquire("first-" + key).orElseThrow().close();
            int before = wire.count(any -> true);
            Lease theirs = others.tryAcquire(key).orElseThrow();

            assertThat(leases.tryAcquire(LeaseRequest.ofAll(key, "second-" + key)))
                    .isEmpty();

            assertThat(wire.count(any -> true) - before).isOne();
            theirs.close();
        }
    }

    @OneOfThree
    void awaitingAFreeKeyCostsOneReadAndNoWrite() {
        assertThat(leases.awaitFree(key, Duration.ZERO)).isTrue();

        assertThat(wire.sent(any -> true)).hasSize(1).allMatch(Wire::isRead);
    }

    @OneOfThree
    void aHoldCostsWhatAReleaseCosts() {
        leases.acquire(LeaseRequest.of(key).holdAtLeast(Duration.ofSeconds(10))).close();

        assertThat(wire.count(any -> true)).isEqualTo(3);
        assertThat(wire.count(Wire::isRead)).isOne();
        assertThat(wire.count(Wire::isAcquire)).isOne();
    }
}
