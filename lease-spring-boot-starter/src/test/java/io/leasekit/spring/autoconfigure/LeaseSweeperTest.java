package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.LeaseSweep;
import io.leasekit.memory.InMemoryLeaseStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseSweeperTest {

    private static final Duration INTERVAL = Duration.ofHours(1);

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final LeaseManager one = LeaseManager.builder(table).build();
    private final LeaseManager two = LeaseManager.builder(table).build();
    private final AtomicInteger sweeps = new AtomicInteger();

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private LeaseSweeper sweeper(LeaseManager leases) {
        return new LeaseSweeper(true, () -> leases, this::failing, "shop/", INTERVAL);
    }

    private LeaseSweep failing() {
        sweeps.incrementAndGet();
        throw new LeaseException("The table cannot be reached", null);
    }

    @Test
    void oneNodeSweepsInAnInterval() {
        sweeper(one).sweep(INTERVAL);
        sweeper(two).sweep(INTERVAL);
        sweeper(one).sweep(INTERVAL);

        assertThat(sweeps).hasValue(1);
        assertThat(table.item("shop/lease-sweep")).isPresent();
    }

    @Test
    void aFailureEndsOneSweepAndNotTheSweeper() {
        assertThatCode(() -> sweeper(one).sweep(INTERVAL)).doesNotThrowAnyException();
    }

    @Test
    void aStoppedSweeperLeavesNoThread() {
        LeaseSweeper sweeper = sweeper(one);
        assertThat(sweeper.isRunning()).isFalse();

        sweeper.start();
        assertThat(sweeper.isRunning()).isTrue();
        sweeper.stop();

        assertThat(sweeper.isRunning()).isFalse();
    }
}
