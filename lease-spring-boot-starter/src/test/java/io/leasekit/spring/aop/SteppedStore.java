package io.leasekit.spring.aop;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** A table in memory that applies and answers requests in steps of virtual time. */
final class SteppedStore implements LeaseStore {

    final InMemoryLeaseStore table;
    private final SteppedTime time;

    SteppedStore(SteppedTime time) {
        this.time = time;
        this.table = new InMemoryLeaseStore(time);
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return time.inTwoSteps(() -> table.write(command, timeout));
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return time.inTwoSteps(() -> table.writeAll(group, timeout));
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return time.inTwoSteps(() -> table.read(key, timeout));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return time.inTwoSteps(() -> table.list(scan, timeout));
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        return table.conditionCheck(key, token, tenure);
    }

    @Override
    public String name() {
        return table.name();
    }
}
