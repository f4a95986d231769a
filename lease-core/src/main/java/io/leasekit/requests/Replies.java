package io.leasekit.requests;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.requests.Requests.Pending;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the replies to requests. A timer of the engine limits the wait for each reply, in case the store never
 * completes a request. The observer also receives items from replies that arrive after the timeout. Thread-safe.
 */
@Internal
public final class Replies {

    private final String table;
    private final EngineTime time;
    private final BoundedClock clock;
    private final BiConsumer<LeaseItem, Reply> observer;
    final RetryBudget budget = new RetryBudget();
    private final TableState state;

    public Replies(
            String table,
            EngineTime time,
            BoundedClock clock,
            BiConsumer<LeaseItem, Reply> observer,
            TableState state) {
        this.table = table;
        this.time = time;
        this.clock = clock;
        this.observer = observer;
        this.state = state;
    }

    /**
     * @param sampled whether the reply has already been used as a clock sample; all writes of a batch share this object
     */
    ExpectedReply expect(RequestLimiter.Place place, LeaseCommand command, Pending pending, AtomicBoolean sampled) {
        // A mark is never retried, so the end of an outage must not depend on a later write.
        boolean countsAsWrite = !(command instanceof MarkCommand);
        return new ExpectedReply(place, command.key(), countsAsWrite, pending, sampled).arm();
    }

    /** Returns the nanoseconds until the write times out; the timeout begins at the clock reading of the write. */
    long left(Pending pending) {
        return Math.max(1, pending.sent() + pending.timeoutNanos() - time.nanos());
    }

    ExpectedReply expectOfRead(RequestLimiter.Place place, String key, Consumer<Reply> onReply) {
        // The epoch is read before the time, so that a clock jump between both reads is noticed.
        int epoch = clock.epoch();
        Pending read = new Pending(clock.now(), epoch, Requests.TIMEOUT, onReply, late -> {});
        return new ExpectedReply(place, key, false, read, new AtomicBoolean()).arm();
    }

    /** Passes the reply to the receiver, or a failure if the timeout comes first. */
    final class ExpectedReply {
        private final RequestLimiter.Place place;
        private final String key;
        private final boolean countsAsWrite;
        private final Pending asked;
        private final AtomicBoolean sampled;
        private final AtomicBoolean answered = new AtomicBoolean();
        private EngineTime.@Nullable Timer watch;

        private ExpectedReply(
                RequestLimiter.Place place, String key, boolean countsAsWrite, Pending asked, AtomicBoolean sampled) {
            this.place = place;
            this.key = key;
            this.countsAsWrite = countsAsWrite;
            this.asked = asked;
            this.sampled = sampled;
        }

        /** If no timer can be set, a single request fails unsent. In a batch, only the write without a timer fails. */
        private ExpectedReply arm() {
            try {
                watch = time.schedule(asked.timeoutNanos(), this::onTimeout);
            } catch (Throwable e) {
                onOutcome(null, e);
            }
            return this;
        }

        private void onTimeout() {
            if (answered.compareAndSet(false, true)) {
                long now = clock.now();
                // A closing manager runs all timers at once, so the timeout may not have passed.
                boolean closed = now - asked.sent() - asked.timeoutNanos() < 0;
                String limit = closed
                        ? " before the manager was closed"
                        : " within " + Text.duration(Duration.ofNanos(asked.timeoutNanos()));
                Exception cause = new TimeoutException("No reply of table " + table + limit);
                Reply missing = new Reply(unknown(cause), asked.sent(), now);
                if (!closed) {
                    state.ended(missing.outcome(), countsAsWrite, key);
                }
                pass(asked.onReply(), missing, RequestLimiter.Ending.CONGESTED);
            }
        }

        void follow(Supplier<CompletionStage<StoreReply>> request) {
            if (!answered.get()) {
                safely(request).whenComplete(this::onOutcome);
            }
        }

        void onOutcome(@Nullable StoreReply outcome, @Nullable Throwable error) {
            if (watch != null) {
                watch.cancel();
            }
            Reply reply = new Reply(outcome != null ? outcome : unknown(error), asked.sent(), clock.now());
            // An exception of a logger must not keep the reply from its receiver.
            Quietly.run(() -> learn(reply));
            Quietly.run(() -> state.ended(reply.outcome(), countsAsWrite, key));
            if (!(reply.outcome() instanceof StoreReply.Failed)) {
                budget.answered();
            }
            pass(
                    answered.compareAndSet(false, true) ? asked.onReply() : asked.onLateReply(),
                    reply,
                    ending(reply.outcome()));
        }

        private void learn(Reply reply) {
            Instant date = reply.outcome().date();
            if (date != null && sampled.compareAndSet(false, true)) {
                clock.sample(asked.sent(), asked.epoch(), reply.at(), date);
            }
            observe(reply);
        }

        private void pass(Consumer<Reply> receiver, Reply reply, RequestLimiter.Ending ending) {
            try {
                receiver.accept(reply);
            } finally {
                place.end(ending);
            }
        }
    }

    private static RequestLimiter.Ending ending(StoreReply outcome) {
        if (!(outcome instanceof StoreReply.Failed failed)) {
            return RequestLimiter.Ending.ANSWERED;
        }
        return switch (failed.kind()) {
            case THROTTLED -> RequestLimiter.Ending.CONGESTED;
            case UNKNOWN, NOT_APPLIED -> RequestLimiter.Ending.FAILED;
            default -> RequestLimiter.Ending.ANSWERED;
        };
    }

    static CompletionStage<StoreReply> safely(Supplier<CompletionStage<StoreReply>> request) {
        try {
            return request.get();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static StoreReply unknown(@Nullable Throwable error) {
        Throwable cause = error != null ? error : new IllegalStateException("The store answered with null");
        return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, cause, null, false);
    }

    private void observe(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Refused refused) {
            observe(refused.item(), reply);
        } else if (reply.outcome() instanceof StoreReply.GroupRefused refused) {
            refused.refusals().forEach(refusal -> observe(refusal.item(), reply));
        } else if (reply.outcome() instanceof StoreReply.Found found) {
            observe(found.item(), reply);
        } else if (reply.outcome() instanceof StoreReply.FoundEach found) {
            found.items().forEach(item -> observe(item, reply));
        }
    }

    private void observe(@Nullable LeaseItem item, Reply reply) {
        if (item != null) {
            observer.accept(item, reply);
        }
    }
}
