package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Leases of several keys in transactions of DynamoDB Local. */
class SeveralKeysIT {

    private static final int ROUNDS = 12;

    private final String prefix = UUID.randomUUID() + "-";
    private final String a = prefix + "a";
    private final String b = prefix + "b";
    private final String c = prefix + "c";
    private final Wire wire = new Wire();
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder()
            .overrideConfiguration(LocalTable.withoutRetries(wire))
            .build();
    private final List<LeaseManager> managers = new ArrayList<>();
    private final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final AtomicInteger most = new AtomicInteger();

    private LeaseManager manager() {
        LeaseManager manager = LocalTable.leases(client)
                .ttl(Duration.ofSeconds(10))
                .heartbeatInterval(Duration.ofMillis(300))
                .build();
        managers.add(manager);
        return manager;
    }

    @AfterEach
    void close() {
        managers.forEach(LeaseManager::close);
        client.close();
    }

    @Tag("full")
    @Test
    void callersThatNameTheSameKeysInDifferentOrderAllGetThemInTurn() throws Exception {
        List<List<String>> wanted = List.of(List.of(a, b), List.of(b, a), List.of(b, c), List.of(c, a), List.of(b));
        ExecutorService threads = Executors.newFixedThreadPool(wanted.size());
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (List<String> keys : wanted) {
                LeaseManager leases = manager();
                callers.add(threads.submit(() -> workInTurns(leases, keys)));
            }
            for (Future<?> caller : callers) {
                caller.get(10, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(most).hasValue(1);
    }

    private void workInTurns(LeaseManager leases, List<String> keys) {
        for (int round = 0; round < ROUNDS; round++) {
            leases.run(LeaseRequest.ofAll(keys).waitFor(Duration.ofMinutes(5)), lease -> {
                keys.forEach(key -> most.accumulateAndGet(counter(key).incrementAndGet(), Math::max));
                lease.ensureValid();
                keys.forEach(key -> counter(key).decrementAndGet());
            });
        }
    }

    private AtomicInteger counter(String key) {
        return inside.computeIfAbsent(key, k -> new AtomicInteger());
    }

    @Test
    void renewalsKeepAllKeys() {
        try (Lease lease = manager().acquireAll(a, b)) {
            String version = version(a);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .until(() -> !version(a).equals(version));

            assertThat(lease.isValid()).isTrue();
            assertThat(version(b)).startsWith(version(a).substring(0, 36)); // perhaps renewed in between
        }
        assertThat(LocalTable.attributes(a)).doesNotContainKey(Attributes.VERSION);
        assertThat(LocalTable.attributes(b)).doesNotContainKey(Attributes.VERSION);
    }

    @Test
    void lostRepliesLoseNoLease() {
        LeaseManager leases = manager();
        wire.loseReplies(1, Wire::isTransaction);
        Lease lease = leases.acquireAll(a, b);
        assertThat(wire.leftToLose()).isZero();

        wire.loseReplies(2, Wire::isTransaction);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> wire.leftToLose() == 0);
        int before = wire.count(Wire::isTransaction);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> wire.count(Wire::isTransaction) > before + 1);
        assertThat(lease.isValid()).isTrue();

        wire.loseReplies(1, Wire::isTransaction);
        lease.close();
        assertThat(manager().tryAcquire(b)).isPresent();
    }

    @Test
    void whatOneKeyRefusesIsReleasedByItself() {
        LeaseManager leases = manager();
        Lease lease = leases.acquireAll(a, b);
        leases.forceRelease(b, lease.fencingToken());

        lease.close();

        LeaseManager others = manager();
        assertThat(others.tryAcquire(a)).isPresent();
        assertThat(others.tryAcquire(b)).isEmpty();
    }

    @Test
    void aWriteOfTheUsersIsRefusedOnceOneKeyIsLost() {
        LeaseManager leases = manager();
        Lease lease = leases.acquireAll(a, b);
        List<TransactWriteItem> checks = lease.conditionChecks().stream()
                .map(check -> TransactWriteItem.builder().conditionCheck(check).build())
                .toList();
        client.transactWriteItems(write -> write.transactItems(checks)).join();

        leases.forceRelease(b, lease.fencingToken());

        assertThat(client.transactWriteItems(write -> write.transactItems(checks))
                        .handle((reply, error) -> error instanceof CompletionException ? error.getCause() : error)
                        .join())
                .isInstanceOfSatisfying(TransactionCanceledException.class, refused -> {
                    assertThat(LeaseFencing.isStale(refused, 0)).isFalse();
                    assertThat(LeaseFencing.isStale(refused, 1)).isTrue();
                });
    }

    private static String version(String key) {
        return LocalTable.attributes(key).get(Attributes.VERSION).s();
    }
}
