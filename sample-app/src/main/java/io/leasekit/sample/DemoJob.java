package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** A long job that one node runs; if the run fails, one of the waiting nodes runs the job. */
@Component
class DemoJob {

    private static final Logger log = LoggerFactory.getLogger(DemoJob.class);
    private static final Duration DURATION = Duration.ofMinutes(2);

    @DistributedLease(key = "long-job", ttl = "${sample.demo.ttl}", waitFor = "10m")
    void run() throws InterruptedException {
        log.info("The long job begins under token {}", LeaseContext.current().fencingToken());
        Thread.sleep(DURATION.toMillis());
    }
}
