package io.leasekit.spring.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The receivers of a loss. */
class SharedLeaseTest {

    private final LeaseManager manager =
            LeaseManager.builder(new InMemoryLeaseStore()).build();
    private final FakeLease lease = new FakeLease();
    private final SharedLease shared = new SharedLease(manager, lease, Lease::close);
    private final List<String> ran = new ArrayList<>();

    @AfterEach
    void close() {
        manager.close();
    }

    @Test
    void eachReceiverRunsOnceInTheOrderOfItsCallThoughAnotherOneFails() {
        shared.onLoss(() -> ran.add("outer"));
        shared.onLoss(() -> {
            throw new AssertionError("by design");
        });
        shared.onLoss(() -> ran.add("inner"));

        lease.lose(LeaseLossReason.TAKEN);
        shared.onLoss(() -> ran.add("late"));

        assertThat(ran).containsExactly("outer", "inner", "late");
    }

    @Test
    void aReceiverThatWasRemovedDoesNotRun() {
        shared.onLoss(() -> ran.add("ended")).run();
        shared.onLoss(() -> ran.add("running"));

        lease.lose(LeaseLossReason.TAKEN);

        assertThat(ran).containsExactly("running");
    }
}
