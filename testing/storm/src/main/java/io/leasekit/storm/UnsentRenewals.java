package io.leasekit.storm;

import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** A broken store: it answers renewals as applied without sending them. Thread-safe. */
final class UnsentRenewals implements LeaseStore {

    private final LeaseStore store;

    UnsentRenewals(LeaseStore store) {
        this.store = store;
    }

    private static CompletionStage<StoreReply> applied() {
        return CompletableFuture.completedFuture(new StoreReply.Applied(null, null, false));
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return command instanceof RenewCommand ? applied() : store.write(command, timeout);
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return group.commands().get(0) instanceof RenewCommand ? applied() : store.writeAll(group, timeout);
    }

    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return batch.commands().stream().map(command -> applied()).toList();
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return store.read(key, timeout);
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return store.list(scan, timeout);
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        return store.conditionCheck(key, token, tenure);
    }

    @Override
    public String name() {
        return store.name();
    }
}
