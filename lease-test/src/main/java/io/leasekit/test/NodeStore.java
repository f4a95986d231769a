package io.leasekit.test;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The connection of one node to the table of the present test. Thread-safe. */
final class NodeStore implements LeaseStore {

    private final Supplier<TestTable> table;
    private final boolean own;
    private final Supplier<@Nullable String> end;

    /** Of the process under test, whose replies can be lost. */
    NodeStore(Supplier<TestTable> table) {
        this(table, true, () -> null);
    }

    /** Of another process; {@code end}: why it sends no more requests, {@code null} while it runs. */
    NodeStore(TestTable table, Supplier<@Nullable String> end) {
        this(() -> table, false, end);
    }

    private NodeStore(Supplier<TestTable> table, boolean own, Supplier<@Nullable String> end) {
        this.table = table;
        this.own = own;
        this.end = end;
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return answer(List.of(command.key()), items -> items.write(command, timeout));
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return answer(group.keys(), items -> items.writeAll(group, timeout));
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return answer(List.of(key), items -> items.read(key, timeout));
    }

    @Override
    public CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return answer(keys, items -> items.readEach(keys, timeout));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return answer(List.of(), items -> items.list(scan, timeout));
    }

    private CompletionStage<StoreReply> answer(
            List<String> keys, Function<InMemoryLeaseStore, CompletionStage<StoreReply>> request) {
        String why = end.get();
        if (why != null) { // a thread of the test that goes on in the dead process
            return CompletableFuture.completedFuture(TestTable.failed(FailureKind.REJECTED, why));
        }
        TestTable now = table.get();
        return now.answer(own, keys, () -> request.apply(now.items));
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        return TestTable.conditionCheck(key, token, tenure);
    }

    @Override
    public String name() {
        return "'" + TestTable.NAME + "' of the test";
    }
}
