package io.leasekit.docs;

import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseWatch;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.LeaseFencing;
import io.leasekit.dynamodb.LeaseTable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** The Java examples of docs/core.md, between a line {@code // <name>} and a line {@code // end}. */
final class CoreExamples {

    private static final Logger log = LoggerFactory.getLogger(CoreExamples.class);

    private final LeaseManager leases;
    private final DynamoDbAsyncClient client;
    private final DynamoDbClient dynamoDb;

    CoreExamples(LeaseManager leases, DynamoDbAsyncClient client, DynamoDbClient dynamoDb) {
        this.leases = leases;
        this.client = client;
        this.dynamoDb = dynamoDb;
    }

    static LeaseManager setUp() {
        // manager
        DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                .overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry())) // leases retry themselves
                .build();
        LeaseTable.of(client, "leases").createIfMissing(); // or verify(), which only checks the table
        LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, "leases"))
                .ttl(Duration.ofSeconds(30))
                .listener(event -> log.info("{}", event))
                .build();
        // end
        return leases;
    }

    void close() {
        // close
        leases.close(); // waits up to the close timeout for leases that are still held
        client.close();
        // end
    }

    int run() {
        // run
        leases.run("report", () -> createReport()); // throws LeaseUnavailableException if another owner holds the lease

        LeaseRequest request = LeaseRequest.of("import").waitFor(Duration.ofSeconds(10));
        Optional<Integer> files = leases.tryCall(request, lease -> importFiles(lease)); // empty if not acquired

        try (Lease lease = leases.acquire(request)) {
            importFiles(lease);
            lease.ensureValid(); // throws LeaseLostException if the lease was lost
        }
        // end
        return files.orElse(0);
    }

    void waiting() {
        // waiting
        LeaseRequest patient = LeaseRequest.of("import").waitFor(LeaseRequest.UNLIMITED);

        CompletableFuture<Optional<Lease>> later = leases.acquireAsync(patient); // holds no thread
        later.thenAccept(acquired -> acquired.ifPresent(lease -> {
            try (lease) {
                importFiles(lease);
            }
        }));
        later.cancel(false); // gives the acquire up; a lease that was granted meanwhile is released
        // end
    }

    void locks() {
        // locks
        LeaseLock lock = leases.lock("import");
        lock.lock(); // or tryLock(), tryLock(5, TimeUnit.SECONDS), lockInterruptibly()
        try {
            importFiles(lock.lease());
        } finally {
            lock.unlock(); // throws LeaseLostException if the lock was lost
        }
        // end
    }

    void withoutHeartbeats() {
        // passive
        LeaseRequest request = LeaseRequest.of("import").passive().ttl(Duration.ofMinutes(10));
        leases.run(request, lease -> {
            moveStock(lease.fencingToken());
            lease.extend(Duration.ofMinutes(10)); // throws if the lease is over
            createReport();
        });
        // end
    }

    void severalKeys() {
        // several
        LeaseRequest both = LeaseRequest.ofAll("stock-7", "stock-9").waitFor(Duration.ofSeconds(10));
        leases.run(both, lease -> moveStock(lease.fencingToken()));

        try (Lease lease = leases.acquireAll("shelf-a", "shelf-b")) { // does not wait
            moveStock(lease.fencingToken());
        }
        // end
    }

    boolean inspected() {
        // inspect
        leases.held().forEach(held -> log.info("{}: {} left", held.key(), held.remaining())); // sends nothing

        Optional<LeaseInfo> info = leases.find("import"); // one consistent read
        // end
        return info.isPresent();
    }

    void watched() {
        // watch
        LeaseWatch watch = leases.watch("import", state -> {
            if (state instanceof LeaseWatch.Held held) {
                log.info("{} is held by {} (token {})", held.key(), held.owner(), held.fencingToken());
            } else if (state.isFree()) {
                log.info("{} is free", state.key());
            }
        });
        watch.close(); // or with the manager

        if (leases.awaitFree("import", Duration.ofMinutes(5))) { // acquires nothing
            log.info("import was free a moment ago");
        }
        // end
    }

    void forced() {
        // force
        LeaseInfo stuck = leases.find("import").orElseThrow();
        if (leases.forceRelease("import", stuck.fencingToken()) instanceof ForcedRelease.NotHeld notHeld) {
            log.info("The lease has changed hands: {}", notHeld.seen());
        }
        // only when the holder is known to be dead, because two may run otherwise
        leases.forceRelease("import", stuck.fencingToken(), ForcedRelease.TwoMayRun.IMMEDIATELY);
        // end
    }

    void guarded(Lease lease, Put put) {
        // fencing
        try {
            dynamoDb.transactWriteItems(transaction -> transaction.transactItems(
                    TransactWriteItem.builder()
                            .conditionCheck(lease.conditionCheck())
                            .build(),
                    TransactWriteItem.builder().put(put).build()));
        } catch (TransactionCanceledException e) {
            if (LeaseFencing.isStale(e, 0)) {
                // this lease has ended, and nothing was written
            }
        }
        // end
    }

    ConditionCheck worker(Lease lease) {
        // fence
        LeaseFence fence = lease.fence(); // of the holder; sent along with the work

        ConditionCheck check = LeaseFencing.conditionCheck("leases", fence); // of the worker, with the table's name
        // end
        return check;
    }

    private void createReport() {}

    private void moveStock(long token) {}

    private static int importFiles(Lease lease) {
        return lease.keys().size();
    }
}
