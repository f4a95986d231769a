package io.leasekit.spring.aop;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** An in-memory store that records its requests and can delay the replies to releases. */
final class RecordingStore implements LeaseStore {

    final List<String> requests = new CopyOnWriteArrayList<>();
    final CountDownLatch renewed = new CountDownLatch(1);
    private final LeaseStore store = new InMemoryLeaseStore();
    private CompletableFuture<Void> releasesGo = CompletableFuture.completedFuture(null);

    /** Holds back all releases from now on, until the returned future completes. */
    CompletableFuture<Void> stopReleases() {
        releasesGo = new CompletableFuture<>();
        return releasesGo;
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return record(command, command.key(), () -> store.write(command, timeout));
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        String keys = String.join("+", group.keys());
        return record(group.commands().get(0), keys, () -> store.writeAll(group, timeout));
    }

    private CompletionStage<StoreReply> record(
            LeaseCommand command, String key, Supplier<CompletionStage<StoreReply>> write) {
        if (command instanceof RenewCommand) {
            requests.add("renew " + key);
            renewed.countDown();
        } else if (command instanceof ReleaseCommand) {
            requests.add("release " + key);
            return releasesGo.thenCompose(go -> write.get());
        } else {
            requests.add("acquire " + key);
        }
        return write.get();
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        requests.add("read " + key);
        return store.read(key, timeout);
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        requests.add("list " + scan.prefix());
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
