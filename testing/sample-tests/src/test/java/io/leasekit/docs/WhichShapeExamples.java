package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import java.time.LocalDate;
import java.util.concurrent.BlockingQueue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The Java examples of docs/which-shape.md, between a line {@code // <name>} and a line {@code // end}. */
abstract class WhichShapeExamples {

    interface Carrier {
        void ship(long order);
    }

    interface Exporter {
        void export(String customer, String session);
    }

    /** Stores what comes in; each write carries the check of a lease. */
    interface Inbox extends BlockingQueue<String> {
        void store(String text, ConditionCheck check);
    }

    interface Books {
        void close(LocalDate day);
    }

    interface Accounts {
        void transfer(String from, String to, long cents);
    }

    private final Carrier carrier;
    private final Exporter exporter;
    private final Inbox inbox;
    private final Books books;
    private final Accounts accounts;

    WhichShapeExamples(Carrier carrier, Exporter exporter, Inbox inbox, Books books, Accounts accounts) {
        this.carrier = carrier;
        this.exporter = exporter;
        this.inbox = inbox;
        this.books = books;
        this.accounts = accounts;
    }

    // one
    @DistributedLease(key = "order-#{#order}", waitFor = "5s")
    void ship(long order) {
        carrier.ship(order);
    }
    // end

    // permits
    @DistributedLease(key = "export", permits = "3", permitsPerNode = "2", waitFor = "1m")
    void export(String customer) {
        int slot = LeaseContext.current().slot(); // 0, 1 or 2: no other call has it
        exporter.export(customer, "session-" + slot);
    }
    // end

    // leader
    @LeaderOnly("ingest")
    void ingest(Lease lease) throws InterruptedException {
        while (true) { // until the interrupt
            inbox.store(inbox.take(), lease.conditionCheck());
        }
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
