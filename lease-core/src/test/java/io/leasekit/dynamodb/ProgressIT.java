package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.ProgressCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Progress in DynamoDB: by renewals and by the user's transactions (protocol 5.12). */
class ProgressIT {

    private final DynamoDbAsyncClient client = LocalTable.client();
    private final LeaseManager leases = manager();
    private final LeaseManager others = manager();
    private final String key = "import-" + UUID.randomUUID();
    private final String line = "line-" + UUID.randomUUID();
    private final LeaseRequest job = LeaseRequest.of(key).resumable();

    private LeaseManager manager() {
        return LocalTable.leases(client).ttl(Duration.ofSeconds(6)).build();
    }

    @AfterEach
    void close() {
        leases.close();
        others.close();
    }

    private static String last(Lease lease) {
        return lease.progress(ProgressCodec.text()).last().orElse("nothing");
    }

    private static byte[] bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private TransactWriteItem data() {
        return TransactWriteItem.builder()
                .put(p -> p.tableName(LocalTable.NAME).item(Map.of("key", text(line))))
                .build();
    }

    private void transact(TransactWriteItem progress) {
        client.transactWriteItems(t -> t.transactItems(progress, data())).join();
    }

    @Test
    void theNextHolderGoesOnFromASave() {
        try (Lease failed = leases.acquire(job)) {
            failed.progress(ProgressCodec.text()).save("line 7");
        }

        try (Lease next = others.acquire(job)) {
            assertThat(last(next)).isEqualTo("line 7");
            next.recordRun(LeaseRunOutcome.SUCCEEDED);
        }

        assertThat(LocalTable.attributes(key)).doesNotContainKeys("progress", "progress_run", "progress_at");
        try (Lease anew = leases.acquire(job)) {
            assertThat(last(anew)).isEqualTo("nothing");
        }
    }

    @Test
    void dataAndProgressAreWrittenTogether() {
        try (Lease lease = leases.acquire(job)) {
            transact(lease.progressUpdate(bytes("line 1")));
            assertThat(LocalTable.attributes(line)).isNotEmpty();
            assertThat(lease.isValid()).isTrue();
        }

        try (Lease next = others.acquire(job)) {
            assertThat(last(next)).isEqualTo("line 1");
        }
    }

    @Test
    void aTransactionOfAHolderThatHasLostTheLeaseWritesNothing() {
        Lease lost = leases.acquire(job);
        TransactWriteItem late =
                lost.progressUpdate(bytes("line 2")); // the process pauses here and sends it much later
        others.forceRelease(key, lost.fencingToken());
        try (Lease next = others.acquire(job.waitFor(Duration.ofMinutes(10)))) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> transact(late))
                    .havingCause()
                    .isInstanceOfSatisfying(
                            TransactionCanceledException.class,
                            cancelled -> assertThat(LeaseFencing.isStale(cancelled, 0))
                                    .isTrue());
            assertThat(last(next)).isEqualTo("nothing");
        }
        assertThat(LocalTable.attributes(line)).isEmpty();
        assertThat(LocalTable.attributes(key)).doesNotContainKey("progress");
    }

    @Test
    void theItemIsLeftToItemTtlOnlyWhenItsRecordsAreOld() {
        Lease lease = leases.acquire(job);

        Map<String, AttributeValue> item = LocalTable.attributes(key);

        long ends = Long.parseLong(item.get("lease_ends").n()) / 1_000;
        assertThat(Long.parseLong(item.get("lease_expiry").n()))
                .isGreaterThan(ends + Duration.ofDays(1).toSeconds());
        assertThat(item.get("lease_ends_token")).isEqualTo(item.get("fencing_token"));
        assertThat(leases.find(key).orElseThrow().expiresAt().getEpochSecond()).isEqualTo(ends);
        lease.close();
    }

    @Test
    void progressOfAnotherTypeIsAnErrorThatNamesIt() {
        Map<String, AttributeValue> item = new HashMap<>(Writes.key(key));
        item.put("lease_expiry", number(5));
        item.put("fencing_token", number(7));
        item.put("progress", text("line 7"));
        LocalTable.put(item);

        for (LeaseRequest request : List.of(job, LeaseRequest.of(key))) {
            assertThatExceptionOfType(LeaseStoreException.class)
                    .isThrownBy(() -> leases.acquire(request))
                    .withMessageContaining("attribute 'progress' is of type S, expected type B");
        }
    }
}
