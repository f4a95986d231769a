package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import org.springframework.scheduling.annotation.Scheduled;

/** The Java example of README.md, between a line {@code // <name>} and a line {@code // end}. */
final class ReadmeExamples {

    record Order(long id) {}

    // shapes
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLease("nightly-report") // fires on every node, runs on one, once for each time
    void createReport() {}

    @DistributedLease(key = "order-#{#order.id}", waitFor = "5s") // one call per order; others wait for up to 5 s
    void ship(Order order) {}

    @DistributedLease(key = "export", permits = "3") // three calls at a time, over all nodes
    void export(String customer) {}

    @LeaderOnly("ingest") // one node leads until it stops or dies, then another
    void ingest(Lease lease) {}
    // end
}
