package io.leasekit.sample;

import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.ReactiveLeaseContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/** Ships orders, each of them on only one node at a time. */
@Service
class ShippingService {

    private static final Logger log = LoggerFactory.getLogger(ShippingService.class);

    @DistributedLease(key = "order-#{#order}", ttl = "${sample.shipping.ttl}")
    void ship(long order, Duration duration) throws InterruptedException {
        long token = LeaseContext.current().fencingToken();
        log.info("Shipping order {} begins under token {}", order, token);
        Thread.sleep(duration.toMillis());
        log.info("Shipping order {} has ended under token {}", order, token);
    }

    /** No thread is blocked while the call waits for the lease, or while the order is packed. */
    @DistributedLease(key = "order-#{#order}", ttl = "${sample.shipping.ttl}", waitFor = "30s")
    Mono<String> pack(long order, Duration duration) {
        return Mono.delay(duration)
                .then(ReactiveLeaseContext.current())
                .map(lease -> "Order " + order + " was packed under token " + lease.fencingToken());
    }

    /** While a node ships the order, the call gets no lease, and Spring retries the call. */
    @Retryable(includes = LeaseUnavailableException.class, maxRetries = 20, delay = 500)
    @DistributedLease(key = "order-#{#order}", ttl = "${sample.shipping.ttl}")
    void cancel(long order) {
        log.info(
                "Order {} is cancelled under token {}",
                order,
                LeaseContext.current().fencingToken());
    }
}
