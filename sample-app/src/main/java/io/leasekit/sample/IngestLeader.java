package io.leasekit.sample;

import io.leasekit.Lease;
import io.leasekit.spring.LeaderOnly;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Endless work that only one node does at a time. */
@Component
class IngestLeader {

    private static final Logger log = LoggerFactory.getLogger(IngestLeader.class);

    @LeaderOnly("ingest")
    void ingest(Lease lease) throws InterruptedException {
        log.info("This node leads under token {}", lease.fencingToken());
        try {
            new CountDownLatch(1).await(); // waits until the election interrupts this thread
        } finally {
            log.info("This node leads no more");
        }
    }
}
