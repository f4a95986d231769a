package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A sweep of a table without item TTL; otherwise DynamoDB Local would remove expired items itself, within seconds. */
class LeaseSweepIT {

    private final DynamoDbAsyncClient client = LocalTable.client();
    private final String table = "sweep-" + UUID.randomUUID();
    private final String prefix = "shop/";
    private final LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, table))
            .closeTimeout(Duration.ofMillis(1))
            .build();
    private final LeaseSweep sweep = LeaseSweep.of(client, table);

    @BeforeEach
    void create() {
        client.createTable(new TableSchema(table).createTable()).join();
    }

    @AfterEach
    void close() {
        leases.close();
    }

    @Test
    void onlyReleasedItemsWhoseRetentionIsOverAreRemoved() {
        put("over", null, Duration.ofHours(-1));
        put("kept", null, Duration.ofHours(1));
        put("just now", null, Duration.ZERO);
        put("dead holder", "9b2d-00000001", Duration.ofHours(-1));
        put(prefix + "no expiry", null, (Long) null);
        Lease held = leases.tryAcquire(prefix + "held").orElseThrow();

        assertThat(sweep.run(leases, prefix)).isOne();

        assertThat(exists(prefix + "over")).isFalse();
        for (String key : new String[] {"kept", "just now", "dead holder", "no expiry", "held"}) {
            assertThat(exists(prefix + key)).as(key).isTrue();
        }
        held.close();
    }

    @Test
    void allPagesAreSweptAndOtherPrefixesAreLeftAlone() {
        put("bank/over", null, (Long) Instant.now().minusSeconds(3_600).getEpochSecond());
        for (int i = 0; i < 600; i++) {
            put("over " + i, null, Duration.ofHours(-1));
        }

        assertThat(sweep.run(leases, prefix)).isEqualTo(600);
        assertThat(exists("bank/over")).isTrue();
        assertThat(sweep.run(leases, prefix)).isZero();
    }

    @Test
    void aClockThatIsAheadEndsNoRetention() {
        put("kept", null, Duration.ofHours(1));
        Clock ahead = Clock.offset(Clock.systemUTC(), Duration.ofDays(10));

        try (LeaseManager wrong =
                LeaseManager.builder(new InMemoryLeaseStore(ahead)).build()) {
            assertThat(sweep.run(wrong, prefix)).isZero();
        }

        assertThat(exists(prefix + "kept")).isTrue();
    }

    @Test
    void anAbsentTableIsAnError() {
        assertThatThrownBy(() -> LeaseSweep.of(client, "absent-table").run(leases, ""))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("Scan of table 'absent-table' failed: ");
    }

    private void put(String name, @Nullable String version, Duration expiry) {
        put(prefix + name, version, (Long) Instant.now().plus(expiry).getEpochSecond());
    }

    private void put(String key, @Nullable String version, @Nullable Long expiry) {
        Map<String, AttributeValue> item = new HashMap<>(Writes.key(key));
        item.put(Attributes.TOKEN, Attributes.number(1));
        if (version != null) {
            item.put(Attributes.VERSION, Attributes.text(version));
        }
        if (expiry != null) {
            item.put(Attributes.EXPIRY, Attributes.number(expiry));
        }
        client.putItem(request -> request.tableName(table).item(item)).join();
    }

    private boolean exists(String key) {
        return client.getItem(
                        request -> request.tableName(table).key(Writes.key(key)).consistentRead(true))
                .join()
                .hasItem();
    }
}
