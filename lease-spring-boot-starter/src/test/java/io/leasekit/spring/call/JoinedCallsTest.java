package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.aop.LeasedBeans;
import io.leasekit.spring.context.LeaseFrame;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Calls that join the lease of a call that goes on for long: once they have ended, nothing keeps them in memory. */
@Timeout(600)
class JoinedCallsTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Jobs jobs = beans.advise(new Jobs());

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void aLossThatWouldInterruptABlockingCallKeepsNoThreadOfACallThatHasEnded() {
        jobs.outer(this::thread);
    }

    @Test
    void aLossThatWouldCancelAPublisherKeepsNoSubscriptionThatHasEnded() {
        jobs.outer(this::value);
    }

    /** Returns a thread that has made a call and is gone. */
    private WeakReference<Object> thread() {
        LeaseFrame outer = LeaseFrame.innermost();
        AtomicBoolean called = new AtomicBoolean();
        Thread thread = new Thread(() -> {
            LeaseFrame.replaceInnermost(outer);
            jobs.blocking(() -> called.set(true));
        });
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(called).isTrue();
        return new WeakReference<>(thread);
    }

    /** Returns a value that a subscriber has received. */
    private WeakReference<Object> value() {
        Object value = new Object();
        assertThat(jobs.reactive(value).block(Duration.ofMinutes(10))).isSameAs(value);
        return new WeakReference<>(value);
    }

    static class Jobs {

        /** Waits until nothing keeps the result of the work, while this call still has the lease. */
        @DistributedLease("key")
        public void outer(Supplier<WeakReference<Object>> work) {
            WeakReference<Object> ended = work.get();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .until(
                            () -> { // a thread may be about to drop it
                                System.gc();
                                return ended.get() == null;
                            });
        }

        @DistributedLease(key = "key", onLost = OnLost.INTERRUPT)
        public void blocking(Runnable work) {
            work.run();
        }

        @DistributedLease(key = "key", onLost = OnLost.INTERRUPT)
        public Mono<Object> reactive(Object value) {
            return Mono.just(value);
        }
    }
}
