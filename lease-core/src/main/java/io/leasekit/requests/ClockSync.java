package io.leasekit.requests;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.store.StoreReply;
import io.leasekit.time.EngineTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Reads an item to learn DynamoDB's time if no recent reply has shown the time (protocol 4.2). Thread-safe. */
@Internal
public final class ClockSync implements Gate {

    private static final long MAX_BACKOFF = SECOND;

    private final Requests requests;
    private final RequestRules rules;
    private final BoundedClock clock;
    private final EngineTime time;
    private final RandomGenerator random;
    private final String table;
    private final SharedRead<KeyReply> read;

    private record KeyReply(String key, Requests.Reply reply) {}

    public interface Receiver {
        /**
         * {@code failure} is {@code null} if a reply has shown DynamoDB's time.
         *
         * @param rejected {@code true} if the store rejected the read, so that another read of the same key would fail
         *     as well
         */
        void onSynced(@Nullable LeaseStoreException failure, boolean rejected);
    }

    public ClockSync(
            Requests requests,
            RequestRules rules,
            BoundedClock clock,
            EngineTime time,
            RandomGenerator random,
            String table) {
        this.requests = requests;
        this.rules = rules;
        this.clock = clock;
        this.time = time;
        this.random = random;
        this.table = table;
        this.read = new SharedRead<>(requests);
    }

    @Override
    public Gate.Answer ask(List<String> keys, String item) {
        BoundedClock.Reading reading = rules.beforeAcquire(clock);
        return reading == null ? new Gate.Unread(receiver -> sync(item, receiver)) : new Gate.Open(reading);
    }

    /** Reads the item with this key to learn DynamoDB's time, or waits for a read that is already in flight. */
    public void sync(String key, Receiver receiver) {
        read.join(
                (request, done) -> request.read(key, reply -> done.accept(new KeyReply(key, reply))),
                read -> onReply(read.key, read.reply, key, receiver));
    }

    /** If the read of another key was rejected, reads {@code key}. The rejection may concern only the other item. */
    private void onReply(String read, Requests.Reply reply, String key, Receiver receiver) {
        if (read.equals(key) || !isRejected(reply)) {
            receiver.onSynced(failure(key, reply), isRejected(reply));
        } else if (rules.beforeAcquire(clock) != null) {
            // DynamoDB's time is known now, probably from the date of the rejection.
            receiver.onSynced(null, false);
        } else {
            sync(key, receiver);
        }
    }

    private static boolean isRejected(Requests.Reply reply) {
        return reply.outcome() instanceof StoreReply.Failed failed && failed.kind() == StoreReply.FailureKind.REJECTED;
    }

    private @Nullable LeaseStoreException failure(String key, Requests.Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            return key.equals(Checks.TIME_KEY)
                    ? requests.error("DynamoDB's time", failed.cause())
                    : requests.error(List.of(key), failed.cause());
        }
        if (reply.outcome().date() == null) {
            return new LeaseStoreException(
                    "Replies of table " + table + " have no 'Date' header, expected one in each: leases need DynamoDB's"
                            + " time",
                    null);
        }
        return null;
    }

    /**
     * Returns the middle of the bounds of DynamoDB's time; failed reads are retried for about {@code patienceNanos}.
     */
    public CompletableFuture<Instant> time(long patienceNanos) {
        CompletableFuture<Instant> result = new CompletableFuture<>();
        askForTime(result, 0, clock.now() + patienceNanos);
        return result;
    }

    private void askForTime(CompletableFuture<Instant> result, int failures, long until) {
        BoundedClock.Reading now = rules.beforeAcquire(clock);
        if (now == null) {
            sync(Checks.TIME_KEY, (failure, rejected) -> {
                if (failure == null || rules.beforeAcquire(clock) != null) {
                    askForTime(result, failures, until);
                } else {
                    askLater(result, failures + 1, until, failure);
                }
            });
        } else {
            result.complete(Instant.ofEpochMilli(now.middleMillis()));
        }
    }

    private void askLater(CompletableFuture<Instant> result, int failures, long until, LeaseStoreException failure) {
        long delay = Requests.backoff(failures, MAX_BACKOFF, random);
        if (clock.now() + delay - until > 0) {
            result.completeExceptionally(failure);
        } else {
            time.schedule(delay, () -> askForTime(result, failures, until));
        }
    }
}
