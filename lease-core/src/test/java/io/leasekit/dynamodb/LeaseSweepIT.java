package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseItem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A sweep of the table of DynamoDB Local. */
class LeaseSweepIT {

    private final String prefix = "sweep-" + UUID.randomUUID() + "/";
    private final LeaseManager leases = LocalTable.leases(LocalTable.client()).build();
    private final LeaseSweep sweep = LeaseSweep.of(LocalTable.client(), LocalTable.NAME);

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
        LocalTable.put(new LeaseItem(prefix + "no expiry", null, null, null, 1L, "here", null, null));
        Lease held = leases.tryAcquire(prefix + "held").orElseThrow();

        assertThat(sweep.run(leases, prefix)).isOne();

        assertThat(LocalTable.attributes(prefix + "over")).isEmpty();
        for (String key : new String[] {"kept", "just now", "dead holder", "no expiry", "held"}) {
            assertThat(LocalTable.attributes(prefix + key)).as(key).isNotEmpty();
        }
        held.close();
    }

    @Test
    void allPagesAreSweptAndOtherPrefixesAreLeftAlone() {
        String other = "other-" + UUID.randomUUID();
        LocalTable.put(item(other, null, Duration.ofHours(-1)));
        for (int i = 0; i < 600; i++) {
            put("over " + i, null, Duration.ofHours(-1));
        }

        int removed = sweep.run(leases, prefix);
        removed += sweep.run(leases, prefix); // its reads are eventually consistent, so it may miss the newest items

        assertThat(removed).isEqualTo(600);
        assertThat(LocalTable.attributes(other)).isNotEmpty();
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

        assertThat(LocalTable.attributes(prefix + "kept")).isNotEmpty();
    }

    @Test
    void anAbsentTableIsAnError() {
        assertThatThrownBy(
                        () -> LeaseSweep.of(LocalTable.client(), "absent-table").run(leases, ""))
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("Scan of table 'absent-table' failed: ");
    }

    private void put(String name, @Nullable String version, Duration expiry) {
        LocalTable.put(item(prefix + name, version, expiry));
    }

    private static LeaseItem item(String key, @Nullable String version, Duration expiry) {
        long seconds = Instant.now().plus(expiry).getEpochSecond();
        return new LeaseItem(key, version, seconds, null, 1L, "here", null, null);
    }
}
