package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Exports customer data over a connection that allows two sessions at a time for all nodes together. */
@Service
class ExportService {

    private static final Logger log = LoggerFactory.getLogger(ExportService.class);

    /** Returns the number of the session: 0 or 1. */
    @DistributedLease(key = "export", permits = "2", ttl = "${sample.export.ttl}")
    int export(String customer, Duration duration) throws InterruptedException {
        int session = LeaseContext.current().slot();
        log.info("Export of {} begins in session {}", customer, session);
        Thread.sleep(duration.toMillis());
        return session;
    }
}
