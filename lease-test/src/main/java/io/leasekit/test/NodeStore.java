package io.leasekit.test;

import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store through which one node uses the table of the current test. Thread-safe. */
final class NodeStore implements LeaseStore {

    private final Supplier<TestTable> table;
    private final Executor node;
    private final boolean own;
    private final Supplier<@Nullable String> end;

    /** Creates the store of the process under test, whose replies {@link TestLeases#loseReplies} can lose. */
    NodeStore(Supplier<TestTable> table) {
        this(table, Runnable::run, true, () -> null);
    }

    /**
     * {@code end} returns the reason why the process sends no more requests, or {@code null} while the process is
     * running.
     */
    NodeStore(TestTable table, Executor node, Supplier<@Nullable String> end) {
        this(() -> table, node, false, end);
    }

    private NodeStore(Supplier<TestTable> table, Executor node, boolean own, Supplier<@Nullable String> end) {
        this.table = table;
        this.node = node;
        this.own = own;
        this.end = end;
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        String why = end.get();
        if (why != null) {
            return CompletableFuture.completedFuture(TestTable.failed(FailureKind.REJECTED, why));
        }
        TestTable now = table.get();
        return now.answer(node, own, request.keys(), () -> now.items.send(request, timeout));
    }

    @Override
    public StoreInfo info() {
        return new StoreInfo("'" + TestTable.NAME + "' of the test")
                .withoutBatches() // each write gets a reply of its own, which the test can lose
                .withConditionChecks(TestTable.PARTS);
    }
}
