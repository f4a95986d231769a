package io.leasekit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** What the contract of stores leaves open; see {@link InMemoryStoreContractTest}. */
class InMemoryLeaseStoreTest {

    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00.999Z");

    private final InMemoryLeaseStore store = new InMemoryLeaseStore(Clock.fixed(NOW, ZoneOffset.UTC));

    @Test
    void stagesAreCompleteWhenTheyAreReturned() {
        assertThat(store.send(new StoreRequest.Read("key"), Duration.ZERO)).isCompleted();
    }

    @Test
    void repliesCarryTheClocksTimeCutToTheSecond() {
        assertThat(store.send(new StoreRequest.Read("key"), Duration.ZERO)
                        .toCompletableFuture()
                        .join()
                        .date())
                .isEqualTo(Instant.parse("2026-11-20T12:00:00Z"));
    }

    @Test
    void aRemovedItemIsGone() {
        store.put(new LeaseItem("key", "v", 1L, null, 2L, null, null, null));

        store.remove("key");

        assertThat(store.items()).isEmpty();
    }

    @Test
    void thereIsNoConditionCheck() {
        assertThatThrownBy(() -> store.info().conditionChecks().of("key", 1, "tenure"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("Leases in memory have no condition check: there are no transactions");
    }
}
