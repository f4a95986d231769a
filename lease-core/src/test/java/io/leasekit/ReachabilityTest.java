package io.leasekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects that an open manager must not keep alive. The timers are real: cancelled ones stay in their queue. */
class ReachabilityTest {

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final LeaseManager others =
            LeaseManager.builder(table).closeTimeout(Duration.ZERO).build();
    private final LeaseManager leases =
            LeaseManager.builder(table).closeTimeout(Duration.ZERO).build();

    @AfterEach
    void close() {
        leases.close();
        others.close();
    }

    @Test
    void aLeaseThatWasReleasedIsKeptByNothing() {
        assertCollected(released());
    }

    private WeakReference<Lease> released() {
        Lease lease = leases.acquire(LeaseRequest.of("key"));
        lease.close();
        return new WeakReference<>(lease);
    }

    @Test
    void anAcquireThatWasCancelledIsKeptByNothing() {
        assertThat(others.tryAcquire("key")).isPresent();

        assertCollected(cancelled());
    }

    private WeakReference<CompletableFuture<Optional<Lease>>> cancelled() {
        CompletableFuture<Optional<Lease>> waiting =
                leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofHours(1)));
        waiting.cancel(true);
        return new WeakReference<>(waiting);
    }

    private static void assertCollected(WeakReference<?> reference) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(
                        () -> { // a sender may be about to drop it
                            System.gc();
                            return reference.get() == null;
                        });
    }
}
