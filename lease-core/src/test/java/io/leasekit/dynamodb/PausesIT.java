package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

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
}
