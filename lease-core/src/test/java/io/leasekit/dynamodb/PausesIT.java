package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Pauses of two managers in one table (protocol 5.11). */
class PausesIT {

    private final String prefix = UUID.randomUUID() + "/";

    @Test
    void aPauseOfOneManagerKeepsTheOtherFromTheKey() {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build();
                LeaseManager here = LocalTable.leases(client).pauses(true).build();
                LeaseManager other = LocalTable.leases(client).pauses(true).build()) {
            Instant until = other.time().plusSeconds(600);

            LeasePause pause = other.pauses().pause(prefix + "*", until, "why: ✓", "anna");

            assertThat(LocalTable.read(here.pauses()::list)).contains(pause);
            assertThatExceptionOfType(LeaseUnavailableException.class)
                    .isThrownBy(() -> here.acquire(prefix + "key"))
                    .satisfies(paused -> assertThat(paused.pause()).contains(pause));
            assertThat(LocalTable.read(() -> here.find("#pauses"))).isEmpty();
            assertThat(here.pauses().resume(prefix + "*")).contains(pause);
            assertThat(here.tryAcquire(prefix + "key")).isPresent();
        }
    }

    /** In a table of its own, because all managers of a table read this item. */
    @Test
    void whateverTheTypesInTheItemOfThePausesArePausesCanBeSetAndLifted() {
        String table = "pauses-" + UUID.randomUUID();
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build()) {
            LeaseTable.of(client, table).createIfMissing();
            try (LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, table))
                    .storeTimeout(Duration.ofMinutes(1))
                    .pauses(true)
                    .build()) {
                for (AttributeValue value : List.of(
                        AttributeValue.fromN("7"),
                        AttributeValue.fromB(SdkBytes.fromUtf8String("forged")),
                        AttributeValue.fromBool(true),
                        AttributeValue.fromNul(true),
                        AttributeValue.fromL(List.of(AttributeValue.fromS("forged"))),
                        AttributeValue.fromM(Map.of("a", AttributeValue.fromS("forged"))),
                        AttributeValue.fromSs(List.of("a", "b")))) {
                    Map<String, AttributeValue> item = new HashMap<>(Writes.key("#pauses"));
                    for (String attribute : List.of(
                            RecordTable.PAUSES,
                            Attributes.VERSION,
                            Attributes.TOKEN,
                            ItemRun.NAME,
                            ItemProgress.DATA)) {
                        item.put(attribute, value);
                    }
                    client.putItem(put -> put.tableName(table).item(item)).join();
                    assertThat(LocalTable.read(leases.pauses()::list)).isEmpty();
                    assertThat(leases.pauses().resume("key")).isEmpty();
                    assertThat(stored(client, table)).isNotNull();
                    assertThat(LocalTable.read(() -> leases.list(LeaseQuery.all()))
                                    .leases())
                            .isEmpty();

                    client.putItem(put -> put.tableName(table).item(item)).join();
                    LeasePause pause =
                            leases.pauses().pause("key", leases.time().plusSeconds(600), "why");
                    assertThat(LocalTable.read(leases.pauses()::list)).containsExactly(pause);
                    assertThat(leases.pauses().resume("key")).contains(pause);
                }
            }
        }
    }

    private static @Nullable String stored(DynamoDbAsyncClient client, String table) {
        return client.getItem(get -> get.tableName(table).key(Writes.key("#pauses")))
                .join()
                .item()
                .get(RecordTable.PAUSES)
                .s();
    }
}
