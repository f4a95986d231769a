package io.leasekit.readme;

import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.LeaseFencing;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnLost;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** The Java examples of README.md, between a line {@code // <name>} and a line {@code // end}. */
final class ReadmeExamples {

    record Order(long id) {}

    // job
    @Component
    class Reports {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("nightly-report")
        void make() {
            // one of all nodes
        }
    }
    // end

    static class Orders {

        // service
        @DistributedLease(key = "order-#{#order.id}", ttl = "30s", waitFor = "5s")
        public void ship(Order order) {
            // nobody else ships this order meanwhile; who cannot wait any longer gets a LeaseUnavailableException
        }
        // end
    }

    static class Transfers {

        // accounts
        @DistributedLease(key = "account-#{#from}", waitFor = "5s")
        @DistributedLease(key = "account-#{#to}", waitFor = "5s")
        public void transfer(String from, String to, long amount) {
            // nobody else works on either account; two transfers in opposite directions do not block each other
        }
        // end
    }

    static class Imports {

        // inside
        @DistributedLease(key = "import", onLost = OnLost.INTERRUPT, unavailableHandler = "laterHandler")
        public void importFiles(@Nullable Lease lease) {
            LeaseAssert.assertHeld(); // fails if the method was called past its bean
            while (importNextFile(LeaseContext.current().fencingToken())) {
                LeaseContext.current().ensureValid(); // throws if the lease was lost
            }
        }
        // end
    }

    private static final Logger log = LoggerFactory.getLogger(ReadmeExamples.class);

    private final LeaseManager leases;
    private final DynamoDbClient dynamoDb;

    ReadmeExamples(LeaseManager leases, DynamoDbClient dynamoDb) {
        this.leases = leases;
        this.dynamoDb = dynamoDb;
    }

    void programmatic() {
        // manager
        leases.run("report", () -> makeReport()); // throws if another has it

        Optional<Lease> free = leases.tryAcquire(LeaseRequest.of("import").waitFor(Duration.ofSeconds(10)));
        if (free.isPresent()) {
            try (Lease lease = free.get()) {
                while (importNextFile(lease.fencingToken())) {
                    lease.ensureValid(); // throws if the lease was lost
                }
            }
        }
        // end
    }

    void waiting() {
        // waiting
        LeaseRequest patient = LeaseRequest.of("import").waitFor(LeaseRequest.UNLIMITED);

        CompletableFuture<Optional<Lease>> later = leases.acquireAsync(patient); // holds no thread
        later.thenAccept(acquired -> acquired.ifPresent(lease -> {
            try (lease) {
                importNextFile(lease.fencingToken());
            }
        }));
        later.cancel(false); // gives up; a lease that was granted meanwhile is released
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

    void inspected() {
        // inspect
        leases.held().forEach(mine -> log.info("{} is ours for {}", mine.key(), mine.remaining())); // sends nothing

        LeaseQuery query = LeaseQuery.startingWith("order-").limit(50);
        String next = null;
        do {
            LeasePage page = leases.list(query.after(next)); // a Scan: for people, not for polling
            page.leases().forEach(lease -> log.info("{}: {} until {}", lease.key(), lease.owner(), lease.expiresAt()));
            next = page.next();
        } while (next != null);
        // end
    }

    void forced() {
        // force
        LeaseInfo stuck = leases.find("import").orElseThrow();
        if (leases.forceRelease("import", stuck.fencingToken()) instanceof ForcedRelease.NotHeld notHeld) {
            log.info("It has changed hands: {}", notHeld.seen());
        }
        // once nobody runs there any more, for two may run otherwise
        leases.forceRelease("import", stuck.fencingToken(), ForcedRelease.TwoMayRun.IMMEDIATELY);
        // end
    }

    static class Alarms {

        // listener
        @Bean
        LeaseListener leaseAlarm() {
            return event -> {
                if (event instanceof LeaseEvent.AtRisk risk) {
                    log.warn("{} ends in {} if no renewal gets through", risk.key(), risk.remaining());
                } else if (event instanceof LeaseEvent.Lost lost) {
                    log.error("{} was lost after {}: {}", lost.key(), lost.heldFor(), lost.reason());
                } else if (event instanceof LeaseEvent.ForceReleased forced) {
                    log.warn("{} was released by force by {}", forced.key(), forced.by());
                }
            };
        }
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
                // the lease is another's by now, and nothing was written
            }
        }
        // end
    }

    private void makeReport() {}

    private void moveStock(long token) {}

    private static boolean importNextFile(long token) {
        return token < 0;
    }
}
