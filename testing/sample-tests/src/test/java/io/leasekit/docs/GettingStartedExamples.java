package io.leasekit.docs;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

/** The Java examples of docs/getting-started.md, between a line {@code // <name>} and a line {@code // end}. */
class GettingStartedExamples {

    record Order(long id) {}

    static class Jobs {
        // job
        @Component
        class Reports {

            private static final Logger log = LoggerFactory.getLogger(Reports.class);

            @Scheduled(cron = "0 0 3 * * *")
            @DistributedLease("nightly-report")
            void create() {
                log.info("Report under token {}", LeaseContext.current().fencingToken());
            }
        }
        // end
    }

    static class Services {
        // service
        @Service
        class Orders {

            @DistributedLease(key = "order-#{#order.id}", waitFor = "5s")
            public void ship(Order order) {
                // one process at a time for each order
            }
        }
        // end
    }
}
