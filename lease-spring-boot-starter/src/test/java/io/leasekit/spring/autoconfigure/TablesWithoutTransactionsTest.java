package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Annotated methods whose leases need transactions, on a table that has none. */
class TablesWithoutTransactionsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(LeaseStore.class, TablesWithoutTransactionsTest::store);

    /** Returns a store like that of a global table with multi-Region strong consistency. */
    private static LeaseStore store() {
        InMemoryLeaseStore table = new InMemoryLeaseStore();
        return new LeaseStore() {
            @Override
            public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
                return table.send(request, timeout);
            }

            @Override
            public StoreInfo info() {
                StoreInfo info = table.info();
                return new StoreInfo(info.name(), false, info.hasBatches(), info.problem(), info.conditionChecks());
            }
        };
    }

    @Test
    void severalKeysStopTheStart() {
        runner.withBean(Transfers.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("transfer")
                        .hasMessageContaining(
                                "its lease has several keys, but the table is a global table with multi-Region"
                                        + " strong consistency, which has no transactions"));
    }

    @Test
    void runsInAnyOrderStopTheStart() {
        runner.withBean(Imports.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining(
                                "the names of its runs may have any order, but the table is a global table"));
    }

    @Test
    void leasesOfOneKeyAndRunsInGrowingOrderWork() {
        runner.withBean(Books.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Books.class).close("2026-11-22");
            context.getBean(Books.class).look();
        });
    }

    @Test
    void aMockedManagerStopsNothing() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
                .withBean(LeaseManager.class, () -> {
                    LeaseManager mock = Mockito.mock(LeaseManager.class);
                    Mockito.when(mock.closeAsync()).thenReturn(CompletableFuture.completedFuture(null));
                    return mock;
                })
                .withBean(Transfers.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Transfers {

        @DistributedLease("#{#from}")
        @DistributedLease("#{#to}")
        public void transfer(String from, String to) {}
    }

    static class Imports {

        @DistributedLease(key = "import", once = "#{#file}", onceOrder = OnceOrder.ANY)
        public void read(String file) {}
    }

    static class Books {

        @DistributedLease(key = "books", once = "#{#day}", onceOrder = OnceOrder.GROWING)
        public void close(String day) {}

        @DistributedLease("books")
        public void look() {}
    }
}
