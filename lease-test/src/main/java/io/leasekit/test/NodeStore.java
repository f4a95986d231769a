package io.leasekit.test;

import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The connection of one node to the table of the present test. Thread-safe. */
final class NodeStore implements LeaseStore {

    private final Supplier<TestTable> table;
    private final boolean own;

    /** {@code own}: whether it is that of the process under test, whose replies can be lost. */
    NodeStore(Supplier<TestTable> table, boolean own) {
        this.table = table;
        this.own = own;
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        TestTable now = table.get();
        return now.answer(own, List.of(command.key()), () -> now.items.write(command, timeout));
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        TestTable now = table.get();
        return now.answer(own, group.keys(), () -> now.items.writeAll(group, timeout));
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        TestTable now = table.get();
        return now.answer(own, List.of(key), () -> now.items.read(key, timeout));
    }

    @Override
    public CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        TestTable now = table.get();
        return now.answer(own, keys, () -> now.items.readEach(keys, timeout));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        TestTable now = table.get();
        return now.answer(own, List.of(), () -> now.items.list(scan, timeout));
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
