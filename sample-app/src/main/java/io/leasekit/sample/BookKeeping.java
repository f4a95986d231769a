package io.leasekit.sample;

import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import java.time.LocalDate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Closes the books of a day once in the cluster; if the close fails, another request can close that day. */
@Service
class BookKeeping {

    private static final Logger log = LoggerFactory.getLogger(BookKeeping.class);

    @DistributedLease(key = "books", once = "#{#day}", onceOrder = OnceOrder.GROWING)
    void close(LocalDate day) {
        log.info("Books of {} are closed", day);
    }
}
