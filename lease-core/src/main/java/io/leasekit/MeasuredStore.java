package io.leasekit;

import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** A store whose requests are measured; each reply is handed on as it is. Thread-safe. */
final class MeasuredStore implements LeaseStore {

    private final LeaseStore store;
    private final EngineTime time;
    private final Measurements measurements;
    private final Traffic traffic;

    MeasuredStore(LeaseStore store, EngineTime time, Measurements measurements, Traffic traffic) {
        this.store = measurements.isWanted() ? store.measuredBy(measurements) : store;
        this.time = time;
        this.measurements = measurements;
        this.traffic = traffic;
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return measured(Operation.of(command), () -> store.write(command, timeout));
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return measured(Operation.of(group.commands().get(0)), () -> store.writeAll(group, timeout));
    }

    /** One request, whose outcome is the best of its renewals': what became of each is measured by its lease. */
    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        long sent = time.nanos();
        List<CompletionStage<StoreReply>> stages;
        try {
            stages = store.renewEach(batch, timeout);
        } catch (RuntimeException e) {
            ended(Operation.RENEW, sent, RequestOutcome.UNKNOWN);
            throw e;
        }
        AtomicInteger open = new AtomicInteger(stages.size());
        AtomicReference<@Nullable RequestOutcome> best = new AtomicReference<>();
        for (CompletionStage<StoreReply> stage : stages) {
            stage.whenComplete((reply, error) -> {
                RequestOutcome outcome = best.accumulateAndGet(outcome(reply), MeasuredStore::better);
                if (open.decrementAndGet() == 0) {
                    ended(Operation.RENEW, sent, outcome);
                }
            });
        }
        return stages;
    }

    /** Outcomes are declared from the best on. */
    private static RequestOutcome better(@Nullable RequestOutcome a, @Nullable RequestOutcome b) {
        if (a == null || b == null) {
            return a == null ? Objects.requireNonNull(b) : a;
        }
        return a.compareTo(b) <= 0 ? a : b;
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return measured(Operation.READ, () -> store.read(key, timeout));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return measured(Operation.LIST, () -> store.list(scan, timeout));
    }

    private CompletionStage<StoreReply> measured(Operation operation, Supplier<CompletionStage<StoreReply>> request) {
        long sent = time.nanos();
        CompletionStage<StoreReply> stage;
        try {
            stage = request.get();
        } catch (RuntimeException e) {
            ended(operation, sent, RequestOutcome.UNKNOWN);
            throw e;
        }
        // not a stage that depends on it: the engine goes first, and sees a failing stage's error without a wrapper
        stage.whenComplete((reply, error) -> ended(operation, sent, outcome(reply)));
        return stage;
    }

    private void ended(Operation operation, long sent, RequestOutcome outcome) {
        long now = time.nanos();
        traffic.answered(now, outcome);
        measurements.measured(
                () -> new LeaseMeasurement.RequestEnded(operation, outcome, Duration.ofNanos(now - sent)));
    }

    private static RequestOutcome outcome(@Nullable StoreReply reply) {
        if (reply instanceof StoreReply.Failed failed) {
            return switch (failed.kind()) {
                case NOT_APPLIED -> RequestOutcome.NOT_APPLIED;
                case UNKNOWN -> RequestOutcome.UNKNOWN;
                case REJECTED -> RequestOutcome.REJECTED;
            };
        }
        if (reply == null) {
            return RequestOutcome.UNKNOWN;
        }
        return isRefused(reply) ? RequestOutcome.REFUSED : RequestOutcome.APPLIED;
    }

    private static boolean isRefused(StoreReply reply) {
        return reply instanceof StoreReply.Refused || reply instanceof StoreReply.GroupRefused;
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
