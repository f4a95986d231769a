package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

/** The Java examples of docs/getting-started.md, between a line {@code // <name>} and a line {@code // end}. */
class GettingStartedExamples {

    private static final Logger log = LoggerFactory.getLogger(GettingStartedExamples.class);

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

    static class Handlers {
        // handler
        @Bean
        LeaseUnavailableHandler laterHandler() {
            return call -> {
                log.info("{} is busy, the call is dropped", call.key());
                return null;
            };
        }
        // end
    }

    static class Imports {
        // handled
        @DistributedLease(key = "import", unavailableHandler = "laterHandler")
        public void importFiles(@Nullable Lease lease) {
            importNext(lease.fencingToken()); // callers pass null, and the method gets its lease
        }
        // end

        private void importNext(long token) {}
    }
}
