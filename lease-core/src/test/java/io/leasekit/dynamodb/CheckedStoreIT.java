package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Stores whose DynamoDB is away when they are opened. */
@Tag("full")
@Timeout(600)
class CheckedStoreIT {

    private final String table = "checked-" + UUID.randomUUID();

    @Test
    void aTableIsCreatedWhenDynamoDbComesBack() throws IOException {
        int port = freePort();
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder(endpoint).build();
                CheckedStore store = CheckedStore.openOrCreate(client, table);
                LeaseManager leases = LeaseManager.builder(store)
                        .storeTimeout(Duration.ofMillis(500))
                        .build()) {
            assertThat(store.kind()).isNull();
            assertThatThrownBy(() -> leases.tryAcquire("key")).isInstanceOf(LeaseStoreException.class);

            DynamoDbLocalProcess.startDetached(port, Duration.ofSeconds(20));

            try (Lease lease = leases.tryAcquire(LeaseRequest.of("key").waitFor(Duration.ofMinutes(10)))
                    .orElseThrow()) {
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(store.kind()).isEqualTo(LeaseTableKind.REGIONAL);
            assertThat(client.describeTimeToLive(request -> request.tableName(table))
                            .join()
                            .timeToLiveDescription()
                            .attributeName())
                    .isEqualTo("lease_expiry");
        }
    }

    @Test
    void anAbsentTableIsRefusedAtOnce() {
        assertThatThrownBy(() -> CheckedStore.open(LocalTable.client(), table))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("Table '" + table + "' does not exist");
    }

    @Test
    void aTableThatIsCreatedLaterIsFoundInTheBackground() throws IOException {
        int port = freePort();
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder(endpoint).build();
                CheckedStore store = CheckedStore.open(client, table);
                LeaseManager leases = LeaseManager.builder(store).build()) {
            DynamoDbLocalProcess.startDetached(port, Duration.ofSeconds(20));
            await().forever().until(() -> store.info().problem() != null);
            assertThat(store.info().problem()).startsWith("Table '" + table + "' does not exist");
            assertThatThrownBy(() -> leases.tryAcquire("key"))
                    .isInstanceOf(LeaseStoreException.class)
                    .hasMessageContaining("does not exist");

            LeaseTable.of(client, table).createIfMissing();
            await().forever().until(() -> store.kind() != null);

            assertThat(leases.tryAcquire("key")).isPresent().hasValueSatisfying(Lease::close);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
