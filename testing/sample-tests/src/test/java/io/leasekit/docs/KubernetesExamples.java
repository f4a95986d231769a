package io.leasekit.docs;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import org.springframework.scheduling.annotation.Scheduled;

/** The Java example of docs/kubernetes.md, between a line {@code // <name>} and a line {@code // end}. */
class KubernetesExamples {

    /** The work of the example. */
    interface Reports {
        void create(String time);
    }

    private final Reports reports;

    KubernetesExamples(Reports reports) {
        this.reports = reports;
    }

    // job
    @Scheduled(cron = "${report.cron}", zone = "UTC")
    @DistributedLease("nightly-report")
    void createReport() {
        reports.create(LeaseContext.current().runName().orElseThrow()); // 2027-01-15T09:00:00Z
    }
    // end
}
