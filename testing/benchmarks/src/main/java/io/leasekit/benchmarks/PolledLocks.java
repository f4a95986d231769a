package io.leasekit.benchmarks;

import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Leasekit's writes without its engine, in the loop of {@link ShedLockLocks}: each lock of the key is tried, and again
 * after a pause. The difference to ShedLock's rows is the cost of the writes and of the client, and that to Leasekit's is the
 * engine. It takes no lease over, and renews none.
 */
final class PolledLocks implements Locks {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long TTL_SECONDS = 60;

    private final DynamoDbAsyncClient client;
    private final LeaseStore store;
    private final String owner = "process-" + ProcessHandle.current().pid();
    private final long pauseMillis;
    private final int permits;

    PolledLocks(URI endpoint, long pauseMillis, int permits) {
        this.client = Clients.leasekit(endpoint);
        this.store = DynamoDbLeaseStore.create(client, Tables.LEASES);
        this.pauseMillis = pauseMillis;
        this.permits = permits;
    }

    @Override
    public Held acquire(String key) {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(permits);
            for (int i = 0; i < permits; i++) {
                String slot = key + "-" + (first + i) % permits;
                String tenure = UUID.randomUUID() + "-";
                if (isApplied(acquire(slot, tenure))) {
                    return () -> isApplied(release(slot, tenure));
                }
            }
            Work.pause(pauseMillis);
        }
    }

    private AcquireCommand acquire(String slot, String tenure) {
        long now = Work.micros() / 1_000;
        long seconds = now / 1_000;
        return new AcquireCommand(
                slot,
                tenure + "00000001",
                seconds + TTL_SECONDS,
                TTL_SECONDS * 1_000,
                now,
                owner,
                now,
                seconds - TTL_SECONDS,
                null,
                null,
                null,
                Edits.NONE);
    }

    private static ReleaseCommand release(String slot, String tenure) {
        long now = Work.micros() / 1_000;
        return new ReleaseCommand(
                slot,
                new VersionRange(tenure + "00000001", tenure + "00000001"),
                null,
                new ReleaseCommand.Retain(now / 1_000 + TTL_SECONDS, now),
                Edits.NONE);
    }

    private boolean isApplied(LeaseCommand command) {
        StoreReply reply = store.send(new StoreRequest.Write(command), TIMEOUT)
                .toCompletableFuture()
                .join();
        if (reply instanceof StoreReply.Failed failed) {
            throw new IllegalStateException(failed.cause());
        }
        return reply instanceof StoreReply.Applied;
    }

    @Override
    public boolean tryOnce(String key) {
        return isApplied(acquire(key, UUID.randomUUID() + "-"));
    }

    @Override
    public void close() {
        client.close();
    }
}
