package io.leasekit.requests;

import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.internal.Internal;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.ReopenCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Passes requests to another store and measures them. Thread-safe. */
@Internal
public final class MeasuredStore implements LeaseStore {

    private final LeaseStore store;
    private final EngineTime time;
    private final Meter meter;
    private final AtomicReference<Traffic> traffic = new AtomicReference<>(new Traffic(null, null, null, null));

    public interface Meter {

        /** {@code capacity}: the consumed capacity units; {@code null} if the table reported none. */
        void requestEnded(Operation operation, RequestOutcome outcome, long tookNanos, @Nullable Double capacity);

        void requestThrottled(Operation operation, LeaseThrottling reason);
    }

    /**
     * The monotonic times at which the last successful and failed requests ended, and the last error since a success. A
     * component is {@code null} if there was none.
     *
     * @param failing the end of the first failed request since the last success; {@code null} if the last request
     *     succeeded
     */
    public record Traffic(
            @Nullable Long success,
            @Nullable Long failure,
            @Nullable Long failing,
            @Nullable Throwable error) {

        private Traffic succeeded(long now) {
            return new Traffic(now, failure, null, null);
        }

        private Traffic failed(long now, Throwable cause) {
            return new Traffic(success, now, failing == null ? Long.valueOf(now) : failing, cause);
        }
    }

    public MeasuredStore(LeaseStore store, EngineTime time, Meter meter) {
        this.store = store;
        this.time = time;
        this.meter = meter;
    }

    public static @Nullable Duration since(@Nullable Long then, long now) {
        return then == null ? null : Duration.ofNanos(Math.max(0, now - then));
    }

    public Traffic traffic() {
        return Objects.requireNonNull(traffic.get());
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        long sent = time.nanos();
        CompletionStage<StoreReply> stage;
        try {
            stage = Objects.requireNonNull(store.send(request, timeout), "The store returned null, expected a stage");
        } catch (Throwable e) {
            ended(request, sent, null, e);
            throw e;
        }
        // Returns the original stage: a dependent stage would wrap errors, and would delay the engine until the reply
        // is measured.
        stage.whenComplete((reply, error) -> ended(request, sent, reply, error));
        return stage;
    }

    private void ended(StoreRequest request, long sent, @Nullable StoreReply reply, @Nullable Throwable error) {
        long now = time.nanos();
        RequestOutcome outcome = outcome(reply);
        if (outcome.isFailure()) {
            Throwable cause = error == null ? error(reply) : error;
            traffic.updateAndGet(last -> last.failed(now, cause));
        } else {
            traffic.updateAndGet(last -> last.succeeded(now));
        }
        Operation operation = operation(request);
        meter.requestEnded(operation, outcome, now - sent, reply == null ? null : reply.capacity());
        LeaseThrottling throttling = throttling(reply);
        if (throttling != null) {
            meter.requestThrottled(operation, throttling);
        }
    }

    private static Operation operation(StoreRequest request) {
        if (request instanceof StoreRequest.Write write) {
            return operation(write.command());
        }
        if (request instanceof StoreRequest.Transaction transaction) {
            return operation(transaction.commands().get(0));
        }
        if (request instanceof StoreRequest.Batch batch) {
            return operation(batch.commands().get(0));
        }
        return request instanceof StoreRequest.Scan ? Operation.LIST : Operation.READ;
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
        if (command instanceof ReopenCommand) {
            return Operation.REOPEN;
        }
        return command instanceof MarkCommand ? Operation.MARK : Operation.REVOKE;
    }

    private static @Nullable LeaseThrottling throttling(@Nullable StoreReply reply) {
        if (reply instanceof StoreReply.Each each) {
            return each.replies().stream()
                    .map(MeasuredStore::throttling)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        return reply instanceof StoreReply.Failed failed && failed.cause() instanceof LeaseStoreException error
                ? error.throttling()
                : null;
    }

    private static Throwable error(@Nullable StoreReply reply) {
        if (reply instanceof StoreReply.Each each) {
            return each.replies().stream()
                    .filter(StoreReply.Failed.class::isInstance)
                    .findFirst()
                    .map(MeasuredStore::error)
                    .orElseGet(IllegalStateException::new);
        }
        return reply instanceof StoreReply.Failed failed ? failed.cause() : new IllegalStateException("No reply");
    }

    private static RequestOutcome outcome(@Nullable StoreReply reply) {
        if (reply instanceof StoreReply.Each each) {
            // RequestOutcome declares its constants from the best to the worst.
            return each.replies().stream()
                    .map(MeasuredStore::outcome)
                    .min(Comparator.naturalOrder())
                    .orElse(RequestOutcome.UNKNOWN);
        }
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
    public StoreInfo info() {
        return store.info();
    }
}
