package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * A table in virtual time that serves one write after the other, so many in a second. Faster writes wait, and
 * also what its sender has given up is served.
 */
final class SlowTable implements LeaseStore {

    private static final long TRIP = 10 * EngineTime.MILLI;

    private final VirtualTime time;
    private final InMemoryLeaseStore table;
    private LongUnaryOperator nanosPerWrite;
    private long busyUntil;
    private boolean out;
    private boolean throttles;
    private boolean deniesBatches;
    private int inFlight;
    private int mostInFlight;
    private long longestWait;
    private int requests;
    private int writes;

    SlowTable(VirtualTime time, int writesPerSecond) {
        this.time = time;
        this.table = new InMemoryLeaseStore(time.clock());
        this.nanosPerWrite = now -> EngineTime.SECOND / writesPerSecond;
    }

    /** Serves so few writes a second at first, and as many as ever from {@code until} on. */
    SlowTable startingSlowly(int writesPerSecond, Duration until) {
        LongUnaryOperator usual = nanosPerWrite;
        nanosPerWrite = now -> now < until.toNanos() ? EngineTime.SECOND / writesPerSecond : usual.applyAsLong(now);
        return this;
    }

    /** Serves so many writes a second from now on. */
    void serve(int writesPerSecond) {
        nanosPerWrite = now -> EngineTime.SECOND / writesPerSecond;
    }

    /** Throttles what it could not serve at once, as a table with provisioned capacity does. */
    SlowTable throttling() {
        throttles = true;
        return this;
    }

    /** Denies requests with several writes, as a policy without their permission does. */
    SlowTable denyingBatches() {
        deniesBatches = true;
        return this;
    }

    void goOut() {
        out = true;
    }

    void comeBack() {
        out = false;
    }

    int inFlight() {
        return inFlight;
    }

    int mostInFlight() {
        return mostInFlight;
    }

    /** Returns how many leases the table shows as held. */
    long held() {
        return table.items().values().stream()
                .filter(item -> item.version() != null)
                .count();
    }

    Duration longestWait() {
        return Duration.ofNanos(longestWait);
    }

    int requests() {
        return requests;
    }

    int writes() {
        return writes;
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return serve(1, () -> List.of(now(table.write(command, timeout)))).get(0);
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return serve(group.commands().size(), () -> List.of(now(table.writeAll(group, timeout))))
                .get(0);
    }

    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return List.copyOf(serve(
                batch.size(),
                () -> table.renewEach(batch, timeout).stream()
                        .map(SlowTable::now)
                        .toList()));
    }

    @Override
    public List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        return List.copyOf(serve(
                batch.size(),
                () -> table.releaseEach(batch, timeout).stream()
                        .map(SlowTable::now)
                        .toList()));
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return serve(1, () -> List.of(now(table.read(key, timeout)))).get(0);
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return serve(1, () -> List.of(now(table.list(scan, timeout)))).get(0);
    }

    private List<CompletableFuture<StoreReply>> serve(int size, Supplier<List<StoreReply>> evaluation) {
        List<CompletableFuture<StoreReply>> replies = new ArrayList<>();
        IntStream.range(0, size).forEach(i -> replies.add(new CompletableFuture<>()));
        requests++;
        writes += size;
        if (out) {
            return replies;
        }
        long arrival = time.elapsed() + TRIP / 2;
        long begin = Math.max(busyUntil, arrival);
        if (deniesBatches && size > 1) {
            time.schedule(TRIP, () -> replies.forEach(reply -> reply.complete(denied())));
            return replies;
        }
        if (throttles && begin - arrival > EngineTime.SECOND) {
            time.schedule(TRIP, () -> replies.forEach(reply -> reply.complete(throttled())));
            return replies;
        }
        busyUntil = begin + size * nanosPerWrite.applyAsLong(begin);
        longestWait = Math.max(longestWait, busyUntil - arrival);
        inFlight++;
        mostInFlight = Math.max(mostInFlight, inFlight);
        time.schedule(busyUntil - time.elapsed(), () -> {
            List<StoreReply> outcomes = evaluation.get();
            time.schedule(TRIP / 2, () -> {
                inFlight--;
                for (int i = 0; i < outcomes.size(); i++) {
                    replies.get(i).complete(outcomes.get(i));
                }
            });
        });
        return replies;
    }

    private static StoreReply throttled() {
        return new StoreReply.Failed(
                StoreReply.FailureKind.THROTTLED, new IllegalStateException("throttled by design"), null, false);
    }

    private static StoreReply denied() {
        return new StoreReply.Failed(
                StoreReply.FailureKind.BATCH_REJECTED, new IllegalStateException("denied by design"), null, false);
    }

    private static StoreReply now(CompletionStage<StoreReply> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String name() {
        return "slow";
    }
}
