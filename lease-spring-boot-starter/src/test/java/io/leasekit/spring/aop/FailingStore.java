package io.leasekit.spring.aop;

import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** A store that refuses access. */
final class FailingStore implements LeaseStore {

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return failed();
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return failed();
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return failed();
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return failed();
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String name() {
        return "failing";
    }

    private static CompletionStage<StoreReply> failed() {
        IllegalStateException cause = new IllegalStateException("access denied");
        return CompletableFuture.completedFuture(new StoreReply.Failed(FailureKind.REJECTED, cause, null, false));
    }
}
