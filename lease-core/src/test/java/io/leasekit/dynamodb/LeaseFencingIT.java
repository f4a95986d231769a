package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** A write that only the holder of a lease can make: the documented example and its edge cases. */
class LeaseFencingIT {

    private static final int CHECK = 0;

    private final DynamoDbAsyncClient client = LocalTable.client();
    private final LeaseManager leases = manager();
    private final LeaseManager others = manager();
    private final String key = "billing-" + UUID.randomUUID();
    private final String balance = "balance-" + UUID.randomUUID();

    private LeaseManager manager() {
        return LocalTable.leases(client)
                .ttl(Duration.ofSeconds(6))
                .heartbeatInterval(Duration.ofMillis(300))
                .build();
    }

    @AfterEach
    void close() {
        leases.close();
        others.close();
    }

    @Test
    void theHoldersWriteIsMade() {
        try (Lease lease = leases.tryAcquire(key).orElseThrow()) {
            assertThat(write(lease.conditionCheck(), "100")).isTrue();
        }
        assertThat(written()).isEqualTo("100");
    }

    @Test
    void aWriteOfAHolderThatWasStoppedTooLongIsRefused() {
        Lease lease = leases.tryAcquire(key).orElseThrow();
        ConditionCheck check = lease.conditionCheck(); // the process pauses here and sends its write much later
        anotherTakesOver();

        assertThat(write(check, "100")).isFalse();
        assertThat(written()).isNull();
    }

    @Test
    void theCheckHoldsAcrossRenewals() {
        Lease lease = leases.tryAcquire(key).orElseThrow();
        ConditionCheck check = lease.conditionCheck();
        String version = version();
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> !version().equals(version));

        assertThat(write(check, "100")).isTrue();
        lease.close();
    }

    @Test
    void aWriteAfterTheReleaseIsRefused() {
        Lease lease = leases.tryAcquire(key).orElseThrow();
        ConditionCheck check = lease.conditionCheck();
        lease.close();

        assertThat(write(check, "100")).isFalse();
        assertThatThrownBy(lease::conditionCheck).isInstanceOf(LeaseException.class);
    }

    @Test
    void aWriteUnderAnEarlierLeaseOfTheSameProcessIsRefused() {
        Lease earlier = leases.tryAcquire(key).orElseThrow();
        ConditionCheck check = earlier.conditionCheck();
        earlier.close();
        assertThat(leases.tryAcquire(key)).isPresent();

        assertThat(write(check, "100")).isFalse();
    }

    @Test
    void aRefusalOfAnotherConditionOfTheTransactionIsNotStale() {
        Lease lease = leases.tryAcquire(key).orElseThrow();
        TransactWriteItem impossible = TransactWriteItem.builder()
                .put(p -> p.tableName(LocalTable.NAME)
                        .item(Map.of("key", text(balance)))
                        .conditionExpression("attribute_exists(#key)")
                        .expressionAttributeNames(Map.of("#key", "key")))
                .build();

        TransactionCanceledException cancelled = (TransactionCanceledException) catchThrowableOfType(
                        CompletionException.class,
                        () -> client.transactWriteItems(
                                        r -> r.transactItems(checkItem(lease.conditionCheck()), impossible))
                                .join())
                .getCause();

        assertThat(LeaseFencing.isStale(cancelled, CHECK)).isFalse();
        assertThat(LeaseFencing.isStale(cancelled, 1)).isTrue();
    }

    // ---- a worker that has only the fence

    @Test
    void aWorkersWriteIsMadeWhileTheLeaseIsHeld() {
        Lease lease = leases.tryAcquire(key).orElseThrow();
        LeaseFence fence = lease.fence();
        String version = version();
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> !version().equals(version));

        assertThat(write(LeaseFencing.conditionCheck(LocalTable.NAME, fence), "100"))
                .isTrue();
        assertThat(LeaseFencing.conditionCheck(LocalTable.NAME, fence)).isEqualTo(lease.conditionCheck());
        lease.close();
    }

    @Test
    void aFenceIsStaleAfterAHandOver() throws Exception {
        Lease before = leases.tryAcquire(key).orElseThrow();
        LeaseFence old = before.fence();
        CompletableFuture<Optional<Lease>> next =
                leases.acquireAsync(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10)));
        before.close();
        Lease after = next.get(10, TimeUnit.MINUTES).orElseThrow();

        assertThat(write(LeaseFencing.conditionCheck(LocalTable.NAME, old), "old"))
                .isFalse();
        assertThat(write(LeaseFencing.conditionCheck(LocalTable.NAME, after.fence()), "new"))
                .isTrue();
        assertThat(written()).isEqualTo("new");
        after.close();
    }

    @Test
    void aFenceIsStaleAfterATakeOver() {
        LeaseFence fence = leases.tryAcquire(key).orElseThrow().fence();
        anotherTakesOver();

        assertThat(write(LeaseFencing.conditionCheck(LocalTable.NAME, fence), "100"))
                .isFalse();
        assertThat(written()).isNull();
    }

    @Test
    void ofSeveralKeysEachFenceGuardsItsOwn() {
        String other = "other-" + key;
        Lease lease = leases.acquireAll(key, other);
        List<LeaseFence> fences = lease.fences();

        assertThat(fences)
                .extracting(fence -> LeaseFencing.conditionCheck(LocalTable.NAME, fence))
                .isEqualTo(lease.conditionChecks())
                .allMatch(check -> write(check, "100"));
        lease.close();
        assertThat(fences).noneMatch(fence -> write(LeaseFencing.conditionCheck(LocalTable.NAME, fence), "200"));
        assertThat(written()).isEqualTo("100");
    }

    /** Writes the balance if the lease is still held. Returns whether it was. */
    private boolean write(ConditionCheck check, String amount) {
        TransactWriteItem balanceItem = TransactWriteItem.builder()
                .put(p -> p.tableName(LocalTable.NAME).item(Map.of("key", text(balance), "amount", text(amount))))
                .build();
        try {
            client.transactWriteItems(r -> r.transactItems(checkItem(check), balanceItem))
                    .join();
            return true;
        } catch (CompletionException e) {
            if (e.getCause() instanceof TransactionCanceledException cancelled
                    && LeaseFencing.isStale(cancelled, CHECK)) {
                return false;
            }
            throw e;
        }
    }

    private static TransactWriteItem checkItem(ConditionCheck check) {
        return TransactWriteItem.builder().conditionCheck(check).build();
    }

    private void anotherTakesOver() {
        client.updateItem(r -> r.tableName(LocalTable.NAME)
                        .key(Writes.key(key))
                        .updateExpression("SET lease_expiry = :past, lease_version = :stopped")
                        .expressionAttributeValues(Map.of(":past", number(1), ":stopped", text("stopped"))))
                .join();
        assertThat(others.tryAcquire(key)).isPresent();
    }

    private String version() {
        return LocalTable.attributes(key).get("lease_version").s();
    }

    private String written() {
        AttributeValue amount = LocalTable.attributes(balance).get("amount");
        return amount == null ? null : amount.s();
    }
}
