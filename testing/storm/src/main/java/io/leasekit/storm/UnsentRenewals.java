package io.leasekit.storm;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A broken store: it answers renewals as applied without sending them. Thread-safe. */
final class UnsentRenewals implements LeaseStore {

    private final LeaseStore store;

    UnsentRenewals(LeaseStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        StoreReply applied = new StoreReply.Applied(null, null, false);
        if (request instanceof StoreRequest.Batch batch && isRenewal(batch.commands())) {
            return CompletableFuture.completedFuture(
                    new StoreReply.Each(Collections.nCopies(batch.commands().size(), applied)));
        }
        boolean renews = (request instanceof StoreRequest.Write write && isRenewal(List.of(write.command())))
                || (request instanceof StoreRequest.Transaction transaction && isRenewal(transaction.commands()));
        return renews ? CompletableFuture.completedFuture(applied) : store.send(request, timeout);
    }

    private static boolean isRenewal(List<LeaseCommand> commands) {
        return commands.get(0) instanceof RenewCommand;
    }

    @Override
    public StoreInfo info() {
        return store.info();
    }
}
