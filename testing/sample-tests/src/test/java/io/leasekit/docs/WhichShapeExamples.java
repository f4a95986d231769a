package io.leasekit.docs;

import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseUnavailableHandler;
import java.time.LocalDate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;

/** Java examples of docs/service-methods.md, between a line {@code // <name>} and a line {@code // end}. */
abstract class WhichShapeExamples {

    private static final Logger log = LoggerFactory.getLogger(WhichShapeExamples.class);

    interface Carrier {
        void ship(long order);
    }

    interface Books {
        void close(LocalDate day);
    }

    interface Accounts {
        void transfer(String from, String to, long cents);
    }

    private final Carrier carrier;
    private final Books books;
    private final Accounts accounts;

    WhichShapeExamples(Carrier carrier, Books books, Accounts accounts) {
        this.carrier = carrier;
        this.books = books;
        this.accounts = accounts;
    }

    // one
    @DistributedLease(key = "order-#{#order}", waitFor = "5s")
    void ship(long order) {
        carrier.ship(order);
    }
    // end

    // handler
    @Bean
    LeaseUnavailableHandler laterHandler() {
        return call -> {
            log.info("{} is busy, the call is dropped", call.key());
            return null;
        };
    }
    // end

    // once
    @DistributedLease(key = "books", once = "#{#day}", onceOrder = OnceOrder.GROWING)
    void closeBooks(LocalDate day) {
        books.close(day);
    }
    // end

    // several
    @DistributedLease(key = "account-#{#from}", waitFor = "5s")
    @DistributedLease(key = "account-#{#to}", waitFor = "5s")
    void transfer(String from, String to, long cents) {
        accounts.transfer(from, to, cents);
    }
    // end
}
