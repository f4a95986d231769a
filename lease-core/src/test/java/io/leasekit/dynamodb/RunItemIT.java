package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Runs recorded in a real table, in both orders, and the time of its replies. */
class RunItemIT {

    private final String key = UUID.randomUUID().toString();

    private static void run(LeaseManager leases, LeaseRequest request) {
        try (Lease lease = leases.acquire(request)) {
            lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        }
    }

    @Test
    void aRunThatIsDoneIsNotGrantedAgain() {
        try (LeaseManager one =
                        LocalTable.leases(LocalTable.client()).owner("one").build();
                LeaseManager two = LocalTable.leases(LocalTable.client()).build()) {
            run(one, LeaseRequest.of(key).once("b"));
            run(one, LeaseRequest.of(key).once("a"));
            Lease running = one.acquire(LeaseRequest.of(key).once("c").ttl(Duration.ofSeconds(30)));

            assertThatThrownBy(() -> two.acquire(LeaseRequest.of(key).once("b")))
                    .isInstanceOf(LeaseAlreadyRanException.class);
            assertThatThrownBy(() -> two.acquire(LeaseRequest.of(key).once("c")))
                    .isInstanceOf(LeaseUnavailableException.class);
            running.close();

            assertThat(LocalTable.attributes(key + "#run=b").get("last_run").s())
                    .isEqualTo("b");
            assertThat(LocalTable.attributes(key)).doesNotContainKeys("last_run", "lease_version");
            assertThat(LocalTable.read(() -> two.find(key))
                            .orElseThrow()
                            .lastRun()
                            .owner())
                    .isEqualTo("one");
        }
    }

    @Test
    void runsInGrowingOrderNeedNoFurtherItem() {
        try (LeaseManager one = LocalTable.leases(LocalTable.client()).build();
                LeaseManager two = LocalTable.leases(LocalTable.client()).build()) {
            run(one, LeaseRequest.of(key).once("b", OnceOrder.GROWING));

            assertThatThrownBy(() -> two.acquire(LeaseRequest.of(key).once("a", OnceOrder.GROWING)))
                    .isInstanceOf(LeaseAlreadyRanException.class);
            run(two, LeaseRequest.of(key).once("c", OnceOrder.GROWING));
            assertThat(LocalTable.read(() -> two.find(key))
                            .orElseThrow()
                            .lastRun()
                            .name())
                    .isEqualTo("c");
        }
    }
}
