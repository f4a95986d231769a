package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.integration.LeaseLockRegistry;
import io.leasekit.spring.integration.LeaseRegistryLock;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.lock.LockRepository;

/** The Java examples of docs/coming-from.md, each between a line {@code // <name>} and a line {@code // end}. */
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

    private void book(String account, long token) {}

    private void alarm(String account, Exception e) {}
}
