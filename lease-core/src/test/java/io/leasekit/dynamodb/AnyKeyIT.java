package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each verb accepts any key, whatever its characters and up to its maximum size. */
class AnyKeyIT {

    private static final int LONGEST = 2_048;

    private final Queue<LeaseMeasurement> measured = new ConcurrentLinkedQueue<>();
    private final LeaseManager leases = LocalTable.leases(LocalTable.client())
            .ttl(Duration.ofSeconds(20))
            .heartbeatInterval(Duration.ofMillis(200))
            .monitor(measured::add)
            .build();

    @AfterEach
    void close() {
        leases.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0\1\33\r\n\t\177", "\u202e\ufeff\u2028", "{}[]\"'\\/:#$&?=%00", "ä", "🙂", "x"})
    void eachVerbTakesIt(String pattern) {
        String key = longest(pattern);
        Lease lease = leases.acquire(LeaseRequest.of(key).named("any"));

        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> measured.stream().anyMatch(LeaseMeasurement.RenewalEnded.class::isInstance));
        assertThat(leases.tryAcquire(key)).isEmpty();
        assertThat(leases.held()).extracting(LeaseStatus::key).containsExactly(key);
        assertThat(LocalTable.read(() -> leases.list(LeaseQuery.startingWith(key)))
                        .leases())
                .extracting(LeaseInfo::key)
                .containsExactly(key);
        assertThat(lease.conditionCheck().key().get("key").s()).isEqualTo(key);
        assertThat(leases.forceRelease(key, lease.fencingToken() - 1).isDone()).isFalse();
        lease.close();
        assertThat(LocalTable.read(() -> leases.find(key))).hasValueSatisfying(info -> {
            assertThat(info.key()).isEqualTo(key);
            assertThat(info.held()).isFalse();
        });
    }

    /** Returns a unique key of the maximum size, so that items of earlier runs do not interfere. */
    private static String longest(String pattern) {
        StringBuilder key = new StringBuilder(UUID.randomUUID().toString());
        while (bytes(key + pattern) <= LONGEST) {
            key.append(pattern);
        }
        while (bytes(key.toString()) < LONGEST) {
            key.append('x');
        }
        return key.toString();
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
