package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job that every node fires and one of them runs. It ends long before the other nodes have fired, so it keeps the lease
 * for as long as their clocks and schedulers may be late.
 */
@Component
class ReportJob {

    private static final Logger log = LoggerFactory.getLogger(ReportJob.class);

    @Scheduled(cron = "${sample.report.cron}")
    @DistributedLease(key = "report", holdAtLeast = "${sample.report.hold-at-least}")
    void make() {
        log.info("Report made under token {}", LeaseContext.current().fencingToken());
    }
}
