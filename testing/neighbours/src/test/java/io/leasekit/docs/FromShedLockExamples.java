package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.shedlock.LeaseLockProvider;
import io.leasekit.spring.DistributedLease;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.dynamodb2.DynamoDBLockProvider;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The examples of docs/coming-from.md, each between a line {@code // <name>} and a line {@code // end}. */
class FromShedLockExamples {

    private final LeaseManager leases;

    FromShedLockExamples(LeaseManager leases) {
        this.leases = leases;
    }

    Optional<Integer> executeWithLock() {
        LeaseRequest request = LeaseRequest.of("import").holdAtLeast(Duration.ofSeconds(30));
        return leases.tryCall(request, lease -> importFiles()); // empty if unavailable
    }

    static class Both {

        // both
        @Bean
        LockProvider lockProvider(DynamoDbClient client, LeaseManager leases) {
            LockProvider before = new DynamoDBLockProvider(client, "shedlock");
            LockProvider after = new LeaseLockProvider(leases); // and lease.key-prefix, if set
            return lock -> after.lock(lock).flatMap(lease -> both(lease, before, lock));
        }

        private static Optional<SimpleLock> both(SimpleLock lease, LockProvider before, LockConfiguration lock) {
            Optional<SimpleLock> old = Optional.empty();
            try {
                old = before.lock(lock);
            } finally {
                if (old.isEmpty()) {
                    lease.unlock();
                }
            }
            return old.map(held -> () -> {
                try {
                    held.unlock();
                } finally {
                    lease.unlock();
                }
            });
        }
        // end
    }

    static class Old {

        // old
        @Scheduled(cron = "0 0 3 * * *")
        @SchedulerLock(name = "nightly-report", lockAtMostFor = "1h", lockAtLeastFor = "1m")
        void nightlyReport() {
            createReport();
        }
        // end
    }

    static class New {

        // new
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease(key = "nightly-report", holdAtLeast = "1m") // until step 5
        void nightlyReport() {
            createReport();
        }
        // end
    }

    private static void createReport() {}

    private static int importFiles() {
        return 7;
    }
}
