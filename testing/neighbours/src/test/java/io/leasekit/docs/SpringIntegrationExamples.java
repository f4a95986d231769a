package io.leasekit.docs;

import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.integration.LeaderEvents;
import io.leasekit.spring.integration.LeaseLockRegistry;
import io.leasekit.spring.integration.LeaseRegistryLock;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.lock.LockRepository;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

/** The Java examples of docs/spring-integration.md, each between a line {@code // <name>} and a line {@code // end}. */
final class SpringIntegrationExamples {

    private final LeaseLockRegistry locks;

    SpringIntegrationExamples(LeaseLockRegistry locks) {
        this.locks = locks;
    }

    void book(String account) throws InterruptedException {
        // lock
        LeaseRegistryLock lock = locks.obtain(account);
        if (lock.tryLock(5, TimeUnit.SECONDS)) {
            try {
                book(account, lock.lease().fencingToken());
            } finally {
                try {
                    lock.unlock();
                } catch (ConcurrentModificationException e) {
                    alarm(account, e); // another process may have had the lock meanwhile
                }
            }
        }
        // end
    }

    static class Before {
        // before
        @Bean
        JdbcLockRegistry lockRegistry(LockRepository repository) { // with region "orders"
            return new JdbcLockRegistry(repository, Duration.ofSeconds(20));
        }
        // end
    }

    static class After {
        // after
        @Bean
        LeaseLockRegistry lockRegistry(LeaseManager leases) {
            return new LeaseLockRegistry(
                    leases, key -> LeaseRequest.of("orders/" + key).ttl(Duration.ofSeconds(20)));
        }
        // end
    }

    static class Initiator {
        // initiator
        @Bean
        LockRegistryLeaderInitiator leaderInitiator(LockRegistry<?> locks) { // 6.5: LockRegistry
            return new LockRegistryLeaderInitiator(locks, new DefaultCandidate("node-1", "ingest"));
        }
        // end
    }

    static class Leader {
        // leader
        @LeaderOnly("ingest")
        public void run() throws InterruptedException {
            while (true) { // until the interrupt
                handleNext();
            }
        }

        @EventListener
        void granted(OnGrantedEvent event) {
            show(event.getRole() + " leads here");
        }

        @EventListener
        void revoked(OnRevokedEvent event) {
            show(event.getRole() + " does not lead here any more");
        }
        // end

        private void handleNext() throws InterruptedException {
            TimeUnit.DAYS.sleep(1);
        }

        private void show(String text) {}
    }

    LeaderElection elect(LeaderEvents events, LeaseManager leases) {
        // elect
        LeaderElection election = events.elect(leases, LeaseRequest.of("ingest"), lease -> ingest());
        // end
        return election;
    }

    private void ingest() {}

    private void book(String account, long token) {}

    private void alarm(String account, Exception e) {}
}
