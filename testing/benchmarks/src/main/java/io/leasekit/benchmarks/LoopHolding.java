package io.leasekit.benchmarks;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/**
 * The plain loop: every heartbeat it renews all locks in the order in which they were acquired, with at most 16 requests
 * in flight, one lock or 25 locks in each. A round that takes longer than the heartbeat is followed by the next at once.
 * A failed renewal is left to the next round. A lock whose last confirmed write was sent more than a ttl ago is lost.
 */
final class LoopHolding implements Holding {

    private static final int IN_FLIGHT = 16;
    private static final int BATCH = 25;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final long ACQUIRE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long TTL_NANOS = TimeUnit.SECONDS.toNanos(TTL_SECONDS);
    private static final long PAUSE_MILLIS = 100;
    private static final AttributeValue END = AttributeValue.fromN("2000000000");
    private static final String STATEMENT =
            "UPDATE \"" + Tables.RAW + "\" SET \"version\" = ? SET \"expiry\" = ? WHERE \"key\" = ? AND \"owner\" = ?";

    private final DynamoDbAsyncClient client;
    private final int perRequest;
    private final AttributeValue owner = newVersion();
    private final Queue<Lock> held = new ConcurrentLinkedQueue<>();
    private final Semaphore free = new Semaphore(IN_FLIGHT);
    private final Thread loop = new Thread(this::renewAll, "plain-loop");

    private LoopHolding(DynamoDbAsyncClient client, int perRequest) {
        this.client = client;
        this.perRequest = perRequest;
    }

    static LoopHolding single(URI endpoint, int connections, ExecutionInterceptor watch) {
        return start(new LoopHolding(Clients.leasekit(endpoint, connections, watch), 1));
    }

    static LoopHolding batched(URI endpoint, int connections, ExecutionInterceptor watch) {
        return start(new LoopHolding(Clients.leasekit(endpoint, connections, watch), BATCH));
    }

    private static LoopHolding start(LoopHolding holding) {
        holding.loop.setDaemon(true);
        holding.loop.start();
        return holding;
    }

    /** One acquired lock. */
    private static final class Lock {
        private final String key;
        private long confirmed; // guarded by this: when the last confirmed write was sent
        private boolean lost; // guarded by this

        Lock(String key, long confirmed) {
            this.key = key;
            this.confirmed = confirmed;
        }

        synchronized void confirm(long sent) {
            if (!isLost()) {
                confirmed = Math.max(confirmed, sent);
            }
        }

        synchronized boolean isLost() {
            lost |= System.nanoTime() - confirmed > TTL_NANOS;
            return lost;
        }
    }

    /** Tries again after an error for up to 20 s. The condition allows its own earlier attempt. */
    @Override
    public void acquire(String key) throws Exception {
        long begun = System.nanoTime();
        while (true) {
            long sent = System.nanoTime();
            try {
                write(key, "attribute_not_exists(#o) OR #o = :o").get();
                held.add(new Lock(key, sent));
                return;
            } catch (ExecutionException e) {
                boolean refused = e.getCause() instanceof ConditionalCheckFailedException;
                if (refused || System.nanoTime() - begun > ACQUIRE_NANOS) {
                    throw e;
                }
                Work.pause(PAUSE_MILLIS / 2 + ThreadLocalRandom.current().nextLong(PAUSE_MILLIS));
            }
        }
    }

    private void renewAll() {
        try {
            while (true) {
                long begun = System.nanoTime();
                List<Lock> round = held.stream().filter(lock -> !lock.isLost()).toList();
                for (int i = 0; i < round.size(); i += perRequest) {
                    free.acquire();
                    renew(round.subList(i, Math.min(i + perRequest, round.size())))
                            .whenComplete((done, failure) -> free.release());
                }
                TimeUnit.NANOSECONDS.sleep(begun + TimeUnit.SECONDS.toNanos(HEARTBEAT_SECONDS) - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<Void> renew(List<Lock> locks) {
        long sent = System.nanoTime();
        if (perRequest == 1) {
            Lock lock = locks.get(0);
            return write(lock.key, "#o = :o").thenRun(() -> lock.confirm(sent));
        }
        return client.batchExecuteStatement(
                        r -> r.statements(locks.stream().map(this::statement).toList())
                                .overrideConfiguration(c -> c.apiCallTimeout(TIMEOUT)))
                .thenAccept(reply -> IntStream.range(0, locks.size())
                        .filter(i -> reply.responses().get(i).error() == null)
                        .forEach(i -> locks.get(i).confirm(sent)));
    }

    private CompletableFuture<Void> write(String key, String condition) {
        return client.updateItem(r -> r.tableName(Tables.RAW)
                        .key(Map.of("key", AttributeValue.fromS(key)))
                        .updateExpression("SET #v = :v, #e = :e, #o = :o")
                        .conditionExpression(condition)
                        .expressionAttributeNames(Map.of("#v", "version", "#e", "expiry", "#o", "owner"))
                        .expressionAttributeValues(Map.of(":v", newVersion(), ":e", END, ":o", owner))
                        .overrideConfiguration(c -> c.apiCallTimeout(TIMEOUT)))
                .thenAccept(reply -> {});
    }

    private BatchStatementRequest statement(Lock lock) {
        return BatchStatementRequest.builder()
                .statement(STATEMENT)
                .parameters(newVersion(), END, AttributeValue.fromS(lock.key), owner)
                .build();
    }

    private static AttributeValue newVersion() {
        return AttributeValue.fromS(UUID.randomUUID().toString());
    }

    @Override
    public int lost() {
        return (int) held.stream().filter(Lock::isLost).count();
    }

    @Override
    public void close() {
        loop.interrupt();
        client.close();
    }
}
