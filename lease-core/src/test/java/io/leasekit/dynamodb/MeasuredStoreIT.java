package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.CapacityConsumed;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/** Requests ask for the consumed capacity only if it is to be reported. */
class MeasuredStoreIT {

    private final Wire wire = new Wire();
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder()
            .overrideConfiguration(LocalTable.withoutRetries(wire))
            .build();
    private final Queue<LeaseMeasurement> measured = new ConcurrentLinkedQueue<>();
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void close() {
        client.close();
    }

    @OneOfThree
    void consumedCapacityIsMeasuredByOperation() {
        try (LeaseManager leases =
                LocalTable.leases(client).monitor(measured::add).build()) {
            leases.tryAcquire(key).orElseThrow().close();
        }

        assertThat(measured)
                .filteredOn(CapacityConsumed.class::isInstance)
                .containsExactlyInAnyOrder(
                        new CapacityConsumed(Operation.READ, 1),
                        new CapacityConsumed(Operation.ACQUIRE, 1),
                        new CapacityConsumed(Operation.RELEASE, 1));
    }

    @OneOfThree
    void aRefusedWriteIsCountedAsItIsCharged() {
        try (LeaseManager leases =
                        LocalTable.leases(client).monitor(measured::add).build();
                LeaseManager other = LocalTable.leases(client).build()) {
            assertThat(other.tryAcquire(key)).isPresent();
            assertThat(other.tryAcquire(key + "-2")).isPresent();
            assertThat(leases.tryAcquire(key)).isEmpty();
            assertThat(leases.tryAcquire(LeaseRequest.ofAll(key, key + "-2"))).isEmpty();
        }

        assertThat(measured)
                .filteredOn(CapacityConsumed.class::isInstance)
                .contains(new CapacityConsumed(Operation.ACQUIRE, 1), new CapacityConsumed(Operation.ACQUIRE, 4));
    }

    @OneOfThree
    void eachRequestAsksForItWithoutAMonitorToo() {
        try (LeaseManager leases = LocalTable.leases(client).build()) {
            leases.tryAcquire(key).orElseThrow().close();
        }

        assertThat(wire.sent(any -> true)).hasSize(3).allSatisfy(request -> {
            ReturnConsumedCapacity asked = request instanceof GetItemRequest read
                    ? read.returnConsumedCapacity()
                    : ((UpdateItemRequest) request).returnConsumedCapacity();
            assertThat(asked).isEqualTo(ReturnConsumedCapacity.TOTAL);
        });
    }
}
