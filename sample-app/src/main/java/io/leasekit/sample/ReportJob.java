package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** A job whose schedule fires on every node, but which runs once for each time of the cron expression. */
@Component
class ReportJob {

    private static final Logger log = LoggerFactory.getLogger(ReportJob.class);

    @Scheduled(cron = "${sample.report.cron}")
    @DistributedLease(key = "report", catchUp = "${sample.report.catch-up:}")
    void make() {
        LeaseContext lease = LeaseContext.current();
        log.info("Report of {} made under token {}", lease.runName().orElse("no slot"), lease.fencingToken());
    }
}
