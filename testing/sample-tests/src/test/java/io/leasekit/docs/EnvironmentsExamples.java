package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.spring.DistributedLease;

/** The Java example of docs/environments.md, between a line {@code // <name>} and a line {@code // end}. */
class EnvironmentsExamples {

    /** The work of the example. */
    interface Stock {
        void cleanUp();

        void refill(String shelf);

        void count();

        void closeBooks();
    }

    private final LeaseManager leases;
    private final String prefix;
    private final Stock stock;

    EnvironmentsExamples(LeaseManager leases, String prefix, Stock stock) {
        this.leases = leases;
        this.prefix = prefix;
        this.stock = stock;
    }

    // keys
    @DistributedLease("clean-up") // the key in the table is orders/clean-up
    public void cleanUp() {
        stock.cleanUp();
    }

    public void refill(String shelf) { // the prefix is that of ${lease.key-prefix}
        leases.run(prefix + "shelf-" + shelf, () -> stock.refill(shelf));
    }

    public void takeInventory() { // a key that several applications share
        leases.run("shared/inventory", stock::count);
    }

    @DistributedLease(key = "close-books", manager = "worldwide")
    public void closeBooks() {
        stock.closeBooks();
    }
    // end
}
