package io.leasekit.docs;

import io.leasekit.spring.DistributedLease;
import org.springframework.scheduling.annotation.Scheduled;

/** The Java example of docs/in-a-hurry.md, between a line {@code // <name>} and a line {@code // end}. */
class InAHurryExamples {

    // job
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLease("nightly-report")
    void createReport() {
        // runs on one node for each time of the expression
    }
    // end
}
