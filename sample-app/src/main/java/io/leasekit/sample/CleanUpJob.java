package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A scheduled job with a fixed delay, which each node counts from its own runs. The cooldown of the lease makes all
 * nodes wait after a run of any node.
 */
@Component
class CleanUpJob {

    private static final Logger log = LoggerFactory.getLogger(CleanUpJob.class);

    @Scheduled(fixedDelayString = "${sample.clean-up.delay}", initialDelayString = "${sample.clean-up.initial-delay}")
    @DistributedLease(key = "clean-up", cooldown = "${sample.clean-up.cooldown}")
    void cleanUp() {
        log.info("Cleaned up under token {}", LeaseContext.current().fencingToken());
    }
}
