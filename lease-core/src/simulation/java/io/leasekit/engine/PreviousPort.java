package io.leasekit.engine;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The methods of the previous version's port, which had one for each kind of request, in front of a store of this version. */
final class PreviousPort implements LeaseStore {

    private final LeaseStore store;

    PreviousPort(LeaseStore store) {
        this.store = store;
    }

    CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return send(new StoreRequest.Write(ofThisVersion(command)), timeout);
    }

    CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        List<LeaseCommand> commands =
                group.commands().stream().map(PreviousPort::ofThisVersion).toList();
        return send(new StoreRequest.Transaction(commands), timeout);
    }

    List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return each(List.copyOf(batch.commands()), timeout);
    }

    List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        return each(List.copyOf(batch.commands()), timeout);
    }

    private List<CompletionStage<StoreReply>> each(List<LeaseCommand> commands, Duration timeout) {
        CompletionStage<StoreReply> sent = send(
                new StoreRequest.Batch(
                        commands.stream().map(PreviousPort::ofThisVersion).toList()),
                timeout);
        return IntStream.range(0, commands.size())
                .mapToObj(i -> sent.thenApply(reply ->
                        reply instanceof StoreReply.Each each ? each.replies().get(i) : reply))
                .toList();
    }

    /** Acquires of that version do not ask for records, and know one end; its releases keep the progress, of which they do not know. */
    private static LeaseCommand ofThisVersion(LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return withOneEnd(acquire);
        }
        return command instanceof ReleaseCommand release
                ? new ReleaseCommand(
                        release.key(),
                        release.own(),
                        release.predecessor(),
                        release.form(),
                        release.run(),
                        release.unlessRecords(),
                        new ReleaseCommand.Keep(),
                        null)
                : command;
    }

    /** Returns the acquire of an item that item TTL may remove at its end, whatever its records. */
    static AcquireCommand withOneEnd(AcquireCommand acquire) {
        return new AcquireCommand(
                acquire.key(),
                acquire.version(),
                acquire.expiry(),
                acquire.durationMillis(),
                acquire.token(),
                acquire.owner(),
                acquire.acquiredAtMillis(),
                acquire.freeBelow(),
                acquire.deadVersion(),
                acquire.own(),
                acquire.predecessor(),
                acquire.once(),
                acquire.permits(),
                acquire.application(),
                acquire.expiry());
    }

    CompletionStage<StoreReply> read(String key, Duration timeout) {
        return send(new StoreRequest.Read(key), timeout);
    }

    CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return send(new StoreRequest.ReadEach(keys), timeout);
    }

    CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return send(new StoreRequest.Scan(scan.prefix(), scan.limit(), scan.after()), timeout);
    }

    ConditionCheck conditionCheck(String key, long token, String tenure) {
        return info().conditionChecks().of(key, token, tenure);
    }

    boolean hasTransactions() {
        return info().hasTransactions();
    }

    @Nullable
    String problem() {
        return info().problem();
    }

    LeaseStore reportingCapacity() {
        return this;
    }

    String name() {
        return info().name();
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        return store.send(request, timeout);
    }

    @Override
    public StoreInfo info() {
        return store.info();
    }
}
