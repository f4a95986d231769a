package io.leasekit.docs;

import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The examples of docs/leaders-and-permits.md, between a line {@code // <name>} and a line {@code // end}. */
final class LeadersExamples {

    private LeadersExamples() {}

    record Order(String id) {}

    /** A table of orders, whose writes carry the check of a lease. */
    interface Orders {
        void store(Order order, ConditionCheck check);
    }

    static class Ingest {

        private final BlockingQueue<Order> inbox;
        private final Orders orders;

        Ingest(BlockingQueue<Order> inbox, Orders orders) {
            this.inbox = inbox;
            this.orders = orders;
        }

        // annotated
        @LeaderOnly("ingest")
        public void run(Lease lease) throws InterruptedException {
            while (true) { // until the interrupt
                Order order = inbox.take();
                orders.store(order, lease.conditionCheck()); // a former leader cannot write
            }
        }
        // end
    }

    static boolean elected(LeaseManager leases) {
        // elected
        LeaderElection election = leases.elect(LeaseRequest.of("ingest"), lease -> ingest(lease));
        // …
        boolean here = election.isLeader();
        Optional<LeaseInfo> leader = election.leader(); // on any node; one read if another node leads
        election.resign(); // another node may lead
        election.close(); // leaves the election
        // end
        return here && leader.isPresent();
    }

    interface Exporter {
        void export(String customer, String session);
    }

    static class Exports {

        private final Exporter exporter;

        Exports(Exporter exporter) {
            this.exporter = exporter;
        }

        // permits
        @DistributedLease(key = "export", permits = "3", permitsPerNode = "2", waitFor = "1m")
        void export(String customer) {
            int slot = LeaseContext.current().slot(); // 0, 1 or 2: no other call has it
            exporter.export(customer, "session-" + slot);
        }
        // end
    }

    private static void ingest(Lease lease) throws InterruptedException {
        while (lease.isValid()) {
            Thread.sleep(1_000);
        }
    }
}
