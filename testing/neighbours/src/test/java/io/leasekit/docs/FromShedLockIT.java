package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.shedlock.LeaseLockProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.dynamodb2.DynamoDBLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The change of the provider on docs/coming-from.md, with ShedLock's own provider for DynamoDB. */
class FromShedLockIT {

    private final DynamoDbClient client = AwsLockClientNode.syncClient();
    private final LeaseManager leases = LeaseManager.builder(new InMemoryLeaseStore())
            .closeTimeout(Duration.ofMillis(1))
            .build();
    private final String name = UUID.randomUUID().toString();

    private final LockProvider before = new DynamoDBLockProvider(client, "shedlock");
    private final LockProvider both = new FromShedLockExamples.Both().lockProvider(client, leases);
    private final LockProvider after = new LeaseLockProvider(leases);

    @BeforeAll
    static void createTable() {
        try (DynamoDbClient client = AwsLockClientNode.syncClient()) {
            client.createTable(table -> table.tableName("shedlock")
                    .billingMode(BillingMode.PAY_PER_REQUEST)
                    .attributeDefinitions(column -> column.attributeName("_id").attributeType(ScalarAttributeType.S))
                    .keySchema(key -> key.attributeName("_id").keyType(KeyType.HASH)));
        }
    }

    @AfterEach
    void close() {
        leases.close();
        client.close();
    }

    private Optional<SimpleLock> lock(LockProvider provider) {
        return provider.lock(new LockConfiguration(Instant.now(), name, Duration.ofMinutes(5), Duration.ZERO));
    }

    private void assertExclude(LockProvider one, LockProvider two) {
        SimpleLock lock = lock(one).orElseThrow();
        assertThat(lock(two)).isEmpty();
        lock.unlock();
        SimpleLock next = lock(two).orElseThrow();
        assertThat(lock(one)).isEmpty();
        next.unlock();
    }

    @Test
    void nodesBeforeAndNodesWithBothExcludeEachOther() {
        assertExclude(before, both);
    }

    @Test
    void nodesWithBothExcludeEachOther() {
        assertExclude(both, both);
    }

    @Test
    void nodesWithBothAndNodesAfterExcludeEachOther() {
        assertExclude(both, after);
    }

    @Test
    void nodesBeforeAndNodesAfterDoNot() {
        assertThat(lock(before)).isPresent();

        assertThat(lock(after)).isPresent();
    }

    @Test
    void aNodeWithBothKeepsNoLeaseIfTheOldLockFails() {
        client.close();

        assertThatThrownBy(() -> lock(both)).isInstanceOf(RuntimeException.class);
        assertThat(lock(after)).isPresent();
    }

    @Test
    void theManagerReplacesALockingTaskExecutor() {
        FromShedLockExamples examples = new FromShedLockExamples(leases);

        assertThat(examples.executeWithLock()).contains(7);
        assertThat(examples.executeWithLock()).isEmpty(); // kept by its hold
    }
}
