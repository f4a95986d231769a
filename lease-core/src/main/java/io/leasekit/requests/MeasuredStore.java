package io.leasekit.requests;

import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Internal;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * A store that measures each request and remembers when the store behind it last succeeded and failed. Replies are
 * passed on unchanged. Thread-safe.
 */
@Internal
public final class MeasuredStore implements LeaseStore {

    private final LeaseStore store;
    private final EngineTime time;
    private final Observer observer;
    private final AtomicReference<Traffic> traffic = new AtomicReference<>(new Traffic(null, null, null));

    /** The receiver of the measurements. */
    public interface Observer {

        /** Returns whether anybody wants the measurements, and so the consumed capacity in each reply. */
        boolean isMeasured();

        /** {@code capacity}: the units that the table reported; {@code null}: none. */
        void requestEnded(Operation operation, RequestOutcome outcome, long tookNanos, @Nullable Double capacity);

        /** Called in addition if the table throttled the request, or some of its writes. */
        void requestThrottled(Operation operation, LeaseThrottling reason);
    }

    /**
     * The monotonic times at which requests ended; {@code null}: there was no such request.
     *
     * @param success the last request that did not fail
     * @param failure the last request that failed
     * @param failing the first failed request since the last success
     */
    public record Traffic(
            @Nullable Long success,
            @Nullable Long failure,
            @Nullable Long failing) {

        private Traffic after(long now, boolean failed) {
            return failed
                    ? new Traffic(success, now, failing == null ? Long.valueOf(now) : failing)
                    : new Traffic(now, failure, null);
        }
    }

    /** The combined replies to one batch so far: the best outcome, the total capacity, and the first reason of throttling. */
    private record Answer(
            int missing,
            RequestOutcome outcome,
            @Nullable Double capacity,
            @Nullable LeaseThrottling throttling) {

        static Answer to(int writes) {
            return new Answer(writes, RequestOutcome.REJECTED, null, null);
        }

        Answer and(@Nullable StoreReply reply) {
            RequestOutcome next = MeasuredStore.outcome(reply);
            Double more = reply == null ? null : reply.capacity();
            return new Answer(
                    missing - 1,
                    next.compareTo(outcome) < 0 ? next : outcome, // declared in order, the best first
                    more == null ? capacity : Double.valueOf(more + (capacity == null ? 0 : capacity)),
                    throttling == null ? MeasuredStore.throttling(reply) : throttling);
        }
    }

    public MeasuredStore(LeaseStore store, EngineTime time, Observer observer) {
        this.store = observer.isMeasured() ? store.reportingCapacity() : store;
        this.time = time;
        this.observer = observer;
    }

    /** Returns the time since then; {@code null} if there is no such time. */
    public static @Nullable Duration since(@Nullable Long then, long now) {
        return then == null ? null : Duration.ofNanos(Math.max(0, now - then));
    }

    public Traffic traffic() {
        return Objects.requireNonNull(traffic.get());
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return one(operation(command), () -> store.write(command, timeout));
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return one(operation(group.commands().get(0)), () -> store.writeAll(group, timeout));
    }

    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return batch(Operation.RENEW, () -> store.renewEach(batch, timeout));
    }

    @Override
    public List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        return batch(Operation.RELEASE, () -> store.releaseEach(batch, timeout));
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return one(Operation.READ, () -> store.read(key, timeout));
    }

    @Override
    public CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return one(Operation.READ, () -> store.readEach(keys, timeout));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return one(Operation.LIST, () -> store.list(scan, timeout));
    }

    static Operation operation(LeaseCommand command) {
        if (command instanceof AcquireCommand) {
            return Operation.ACQUIRE;
        }
        if (command instanceof RenewCommand) {
            return Operation.RENEW;
        }
        if (command instanceof ReleaseCommand) {
            return Operation.RELEASE;
        }
        if (command instanceof PauseCommand) {
            return Operation.PAUSE;
        }
        return command instanceof MarkCommand ? Operation.MARK : Operation.REVOKE;
    }

    private CompletionStage<StoreReply> one(Operation operation, Supplier<CompletionStage<StoreReply>> request) {
        long sent = time.nanos();
        CompletionStage<StoreReply> stage;
        try {
            stage = request.get();
        } catch (RuntimeException | Error e) {
            ended(operation, sent, RequestOutcome.UNKNOWN, null, null);
            throw e;
        }
        // no dependent stage is returned: the engine goes first and sees errors without a wrapper
        stage.whenComplete((reply, error) ->
                ended(operation, sent, outcome(reply), reply == null ? null : reply.capacity(), throttling(reply)));
        return stage;
    }

    private List<CompletionStage<StoreReply>> batch(
            Operation operation, Supplier<List<CompletionStage<StoreReply>>> request) {
        long sent = time.nanos();
        List<CompletionStage<StoreReply>> stages;
        try {
            stages = request.get();
        } catch (RuntimeException | Error e) {
            ended(operation, sent, RequestOutcome.UNKNOWN, null, null);
            throw e;
        }
        AtomicReference<Answer> answer = new AtomicReference<>(Answer.to(stages.size()));
        for (CompletionStage<StoreReply> stage : stages) {
            stage.whenComplete((reply, error) -> {
                Answer all = answer.updateAndGet(some -> some.and(reply));
                if (all.missing == 0) {
                    ended(operation, sent, all.outcome, all.capacity, all.throttling);
                }
            });
        }
        return stages;
    }

    private void ended(
            Operation operation,
            long sent,
            RequestOutcome outcome,
            @Nullable Double capacity,
            @Nullable LeaseThrottling throttling) {
        long now = time.nanos();
        traffic.updateAndGet(last -> last.after(now, outcome.isFailure()));
        observer.requestEnded(operation, outcome, now - sent, capacity);
        if (throttling != null) {
            observer.requestThrottled(operation, throttling);
        }
    }

    private static @Nullable LeaseThrottling throttling(@Nullable StoreReply reply) {
        return reply instanceof StoreReply.Failed failed && failed.cause() instanceof LeaseStoreException error
                ? error.throttling()
                : null;
    }

    private static RequestOutcome outcome(@Nullable StoreReply reply) {
        if (reply instanceof StoreReply.Failed failed) {
            return switch (failed.kind()) {
                case NOT_APPLIED, CONFLICT, THROTTLED -> RequestOutcome.NOT_APPLIED;
                case UNKNOWN -> RequestOutcome.UNKNOWN;
                case REJECTED, BATCH_REJECTED -> RequestOutcome.REJECTED;
            };
        }
        if (reply == null) {
            return RequestOutcome.UNKNOWN;
        }
        boolean refused = reply instanceof StoreReply.Refused || reply instanceof StoreReply.GroupRefused;
        return refused ? RequestOutcome.REFUSED : RequestOutcome.APPLIED;
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        return store.conditionCheck(key, token, tenure);
    }

    @Override
    public boolean hasTransactions() {
        return store.hasTransactions();
    }

    @Override
    public @Nullable String problem() {
        return store.problem();
    }

    @Override
    public String name() {
        return store.name();
    }
}
