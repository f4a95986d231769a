package io.leasekit.engine;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

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
    private long latency;
    private boolean out;
    private StoreReply.@Nullable FailureKind failing;
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

    /** Takes this much longer for each request from now on, however many there are. */
    void delay(Duration by) {
        latency = by.toNanos();
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

    /** Answers each request with this failure from now on. */
    void failWith(StoreReply.FailureKind kind) {
        failing = kind;
    }

    void comeBack() {
        out = false;
        failing = null;
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
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        int size = Math.max(1, request.keys().size());
        requests++;
        writes += size;
        if (out) {
            return reply;
        }
        if (failing != null) {
            StoreReply failed =
                    new StoreReply.Failed(failing, new IllegalStateException("fails by design"), null, false);
            time.schedule(TRIP, () -> reply.complete(failed));
            return reply;
        }
        long arrival = time.elapsed() + TRIP / 2;
        long begin = Math.max(busyUntil, arrival);
        if (deniesBatches && request instanceof StoreRequest.Batch) {
            time.schedule(TRIP, () -> reply.complete(denied()));
            return reply;
        }
        if (throttles && begin - arrival > EngineTime.SECOND) {
            time.schedule(TRIP, () -> reply.complete(throttled()));
            return reply;
        }
        busyUntil = begin + size * nanosPerWrite.applyAsLong(begin);
        longestWait = Math.max(longestWait, busyUntil - arrival);
        inFlight++;
        mostInFlight = Math.max(mostInFlight, inFlight);
        time.schedule(busyUntil - time.elapsed(), () -> {
            StoreReply outcome =
                    table.send(request, timeout).toCompletableFuture().join();
            time.schedule(latency + TRIP / 2, () -> {
                inFlight--;
                reply.complete(outcome);
            });
        });
        return reply;
    }

    private static StoreReply throttled() {
        return new StoreReply.Failed(
                StoreReply.FailureKind.THROTTLED, new IllegalStateException("throttled by design"), null, false);
    }

    private static StoreReply denied() {
        return new StoreReply.Failed(
                StoreReply.FailureKind.BATCH_REJECTED, new IllegalStateException("denied by design"), null, false);
    }

    @Override
    public StoreInfo info() {
        return new StoreInfo("slow");
    }
}
