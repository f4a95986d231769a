package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.aop.LeasedBeans;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The expression of a key fails by another lease, which is no refusal of the call's own lease. */
class CallStartTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Jobs jobs = beans.advise(new Jobs());

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void aBlockingCallThrowsIt() {
        assertThatThrownBy(jobs::run).isSameAs(Jobs.FAILURE);
    }

    @Test
    void theFutureOfACallFailsByIt() {
        assertThat(jobs.later())
                .failsWithin(Duration.ofMinutes(10))
                .withThrowableThat()
                .withCause(Jobs.FAILURE);
    }

    @Test
    void aSubscriberGetsIt() {
        assertThatThrownBy(() -> jobs.reactive().block(Duration.ofMinutes(10))).isSameAs(Jobs.FAILURE);
    }

    static class Jobs {

        static final LeaseUnavailableException FAILURE = new LeaseUnavailableException("Another lease is held", null);

        @DistributedLease(key = "#{target.key()}", onUnavailable = OnUnavailable.SKIP)
        public void run() {
            throw new AssertionError("ran without its lease");
        }

        @DistributedLease(key = "#{target.key()}", onUnavailable = OnUnavailable.SKIP)
        public CompletableFuture<String> later() {
            throw new AssertionError("ran without its lease");
        }

        @DistributedLease(key = "#{target.key()}", onUnavailable = OnUnavailable.SKIP)
        public Mono<String> reactive() {
            throw new AssertionError("ran without its lease");
        }

        public String key() {
            throw FAILURE;
        }
    }
}
