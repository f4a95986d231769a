package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.OnceOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Managers on dynalite, which has no item TTL, transactions or PartiQL. Run by {@code testing/dynalite/run}. */
class DynaliteChecks {

    private final String key = UUID.randomUUID().toString();

    @Test
    void theCheckOfTheTableNamesTheMissingItemTtl() {
        LeaseTable table = LeaseTable.of(LocalTable.client(), LocalTable.NAME);

        assertThatThrownBy(table::verify)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageContaining("Table 'leases' has no item TTL (DISABLED)")
                .hasMessageContaining("aws dynamodb update-time-to-live");
    }

    @Test
    void aLeaseOfSeveralKeysFailsAtOnce() {
        try (LeaseManager leases = LocalTable.leases(LocalTable.client()).build()) {
            assertThatThrownBy(() -> leases.acquire(LeaseRequest.ofAll(key, key + "2")))
                    .isInstanceOf(LeaseStoreException.class)
                    .hasMessageContaining("Lease '" + key + "', '" + key + "2' in table 'leases'")
                    .hasMessageContaining("UnknownOperationException");
        }
    }

    /** Dynalite shows no item with a refusal, so the caller is not told that the run is done. */
    @Test
    void aRunThatIsDoneIsNotGrantedAgain() {
        LeaseRequest run = LeaseRequest.of(key).once("a", OnceOrder.GROWING);
        try (LeaseManager leases = LocalTable.leases(LocalTable.client()).build()) {
            Lease first = leases.acquire(run);
            first.recordRun(LeaseRunOutcome.SUCCEEDED);
            first.close();

            assertThat(leases.tryAcquire(run)).isEmpty();
            assertThat(leases.tryAcquire(LeaseRequest.of(key).once("b", OnceOrder.GROWING)))
                    .isPresent();
        }
    }

    @Test
    void leasesAreRenewedOneByOneIfBatchesAreNotKnown() {
        try (LeaseManager leases = LocalTable.leases(LocalTable.client())
                .ttl(Duration.ofSeconds(10))
                .heartbeatInterval(Duration.ofSeconds(1))
                .build()) {
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                held.add(leases.acquire(key + i));
            }

            Awaitility.await()
                    .during(Duration.ofSeconds(15))
                    .atMost(Duration.ofMinutes(10))
                    .until(() -> held.stream().allMatch(Lease::isValid));
            held.forEach(Lease::close);
        }
    }

    @Test
    void aWaiterOfAnotherManagerGetsTheLeaseAfterTheRelease() {
        try (LeaseManager one = LocalTable.leases(LocalTable.client()).build();
                LeaseManager two = LocalTable.leases(LocalTable.client()).build()) {
            Lease first = one.acquire(key);
            CompletableFuture<Lease> next = CompletableFuture.supplyAsync(
                    () -> two.acquire(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10))));
            assertThat(next).isNotDone();
            first.close();

            assertThat(next.join().fencingToken()).isGreaterThan(first.fencingToken());
            next.join().close();
        }
    }
}
