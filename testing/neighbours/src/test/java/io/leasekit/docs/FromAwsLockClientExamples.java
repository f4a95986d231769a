package io.leasekit.docs;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.LockItem;
import com.amazonaws.services.dynamodbv2.model.LockCurrentlyUnavailableException;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The Java examples of docs/coming-from.md, each between a line {@code // <name>} and a line {@code // end}. */
final class FromAwsLockClientExamples {

    private final AmazonDynamoDBLockClient locks;
    private final LeaseManager leases;
    private final Runnable work;

    FromAwsLockClientExamples(AmazonDynamoDBLockClient locks, LeaseManager leases, Runnable work) {
        this.locks = locks;
        this.leases = leases;
        this.work = work;
    }

    void importIfFree() throws InterruptedException {
        AcquireLockOptions options = AcquireLockOptions.builder("import")
                .withShouldSkipBlockingWait(true)
                .build();
        try (LockItem lock = locks.acquireLock(options)) {
            work();
        } catch (LockCurrentlyUnavailableException e) {
            // another node imports
        }
    }

    void importWhenFree() throws InterruptedException {
        AcquireLockOptions options = AcquireLockOptions.builder("import")
                .withTimeUnit(TimeUnit.SECONDS)
                .withAdditionalTimeToWaitForLock(30L)
                .build();
        try (LockItem lock = locks.acquireLock(options)) { // LockNotGrantedException after the wait
            work();
        }
    }

    // after
    void importIfFreeByLease() {
        Optional<Lease> acquired = leases.tryAcquire("import");
        if (acquired.isPresent()) {
            try (Lease lease = acquired.get()) {
                work();
            }
        }
    }

    void importWhenFreeByLease() {
        LeaseRequest request = LeaseRequest.of("import").waitFor(Duration.ofSeconds(50));
        try (Lease lease = leases.acquire(request)) { // LeaseUnavailableException after the wait
            work();
        }
    }
    // end

    // both
    void importIfFreeByBoth() throws InterruptedException {
        AcquireLockOptions options = AcquireLockOptions.builder("import")
                .withShouldSkipBlockingWait(true)
                .build();
        Optional<Lease> acquired = leases.tryAcquire("import");
        if (acquired.isPresent()) {
            try (Lease lease = acquired.get();
                    LockItem lock = locks.acquireLock(options)) {
                lease.ensureValid();
                work();
            } catch (LockCurrentlyUnavailableException e) {
                // a node of the release before imports
            }
        }
    }
    // end

    void importWhenFreeByBoth() throws InterruptedException {
        AcquireLockOptions options = AcquireLockOptions.builder("import")
                .withTimeUnit(TimeUnit.SECONDS)
                .withAdditionalTimeToWaitForLock(30L)
                .build();
        LeaseRequest request = LeaseRequest.of("import").waitFor(Duration.ofSeconds(50));
        try (Lease lease = leases.acquire(request);
                LockItem lock = locks.acquireLock(options)) {
            lease.ensureValid(); // throws if the lease was lost during the wait for the lock
            work();
        }
    }

    private void work() {
        work.run();
    }
}
