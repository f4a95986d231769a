package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The condition of the page's script for tables without item TTL, in which DynamoDB Local removes nothing itself. */
class ExpiredItemsScriptIT {

    private final DynamoDbAsyncClient client = LocalTable.client();
    private final String table = "script-" + UUID.randomUUID();

    @Test
    void onlyReleasedItemsWhoseRetentionEndedADayAgoAreDeleted() throws IOException {
        client.createTable(new TableSchema(table).createTable()).join();
        put("over", null, Duration.ofHours(25));
        put("just over", null, Duration.ofHours(23));
        put("dead holder", "9b2d-00000001", Duration.ofHours(25));
        try (LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, table))
                .pauses(true)
                .closeTimeout(Duration.ofMillis(1))
                .build()) {
            leases.acquire("held");
            leases.acquire("released").close();
            leases.acquire(LeaseRequest.of("hold").holdAtLeast(Duration.ofMinutes(5)))
                    .close();
            leases.pauses().pause("job", leases.time().plusSeconds(600), "why", "anna");

            assertThat(keysUnder(condition())).containsExactly("over");
        }
    }

    /** Returns the condition, which the script gives to the scan and to each deletion. */
    private static String condition() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operations.md"));
        Matcher line = Pattern.compile("(?m)^condition='(.*)'$").matcher(page);
        assertThat(line.find()).isTrue();
        assertThat(page)
                .contains("--filter-expression \"$condition\"")
                .contains("--condition-expression \"$condition\"")
                .contains("date +%s) - 86400");
        return line.group(1);
    }

    private Set<String> keysUnder(String condition) {
        AttributeValue before =
                Attributes.number(Instant.now().minus(Duration.ofDays(1)).getEpochSecond());
        return client
                .scan(request -> request.tableName(table)
                        .filterExpression(condition)
                        .expressionAttributeValues(Map.of(":before", before)))
                .join()
                .items()
                .stream()
                .map(item -> item.get(Attributes.KEY).s())
                .collect(Collectors.toSet());
    }

    private void put(String key, @Nullable String version, Duration ago) {
        Map<String, AttributeValue> item = new HashMap<>(Writes.key(key));
        item.put(Attributes.TOKEN, Attributes.number(1));
        item.put(Attributes.EXPIRY, Attributes.number(Instant.now().minus(ago).getEpochSecond()));
        if (version != null) {
            item.put(Attributes.VERSION, Attributes.text(version));
        }
        client.putItem(request -> request.tableName(table).item(item)).join();
    }
}
