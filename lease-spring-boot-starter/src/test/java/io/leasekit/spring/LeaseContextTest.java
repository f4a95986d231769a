package io.leasekit.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.aop.LeasedBeans;
import io.leasekit.spring.context.FakeLease;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

class LeaseContextTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Jobs jobs = beans.advise(new Jobs());

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void withinTheMethodItHasTheLease() {
        jobs.run(() -> {
            LeaseContext context = LeaseContext.current();
            assertThat(context.key()).isEqualTo("outer");
            assertThat(context.lease().isValid()).isTrue();
            assertThat(context.fencingToken()).isEqualTo(context.lease().fencingToken());
            assertThat(context.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
            context.ensureValid();
        });
    }

    @Test
    void outsideThereIsNoneAlsoAfterACall() {
        jobs.run(() -> {});

        assertThat(LeaseContext.find()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(LeaseContext::current)
                .withMessage("Thread '" + Thread.currentThread().getName()
                        + "' is not running a method with @DistributedLease: the method was not called through its"
                        + " Spring proxy, or this is another thread");
    }

    @Test
    void afterAnExceptionThereIsNone() {
        assertThatThrownBy(() -> jobs.run(() -> {
                    throw new IllegalArgumentException();
                }))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(LeaseContext.find()).isEmpty();
    }

    @Test
    void nestedCallsHaveTheirOwnAndTheOuterOneComesBack() {
        jobs.run(() -> {
            jobs.nested(() -> assertThat(LeaseContext.current().key()).isEqualTo("nested"));
            assertThat(LeaseContext.current().key()).isEqualTo("outer");
        });
    }

    @Test
    void otherThreadsDoNotSeeItAndAreHandedTheLease() {
        boolean valid = jobs.withLease(null, lease -> {
            assertThat(CompletableFuture.supplyAsync(LeaseContext::find).join()).isEmpty();
            return CompletableFuture.supplyAsync(lease::isValid).join();
        });

        assertThat(valid).isTrue();
    }

    @Test
    void aLeaseParameterIsFilledInWhereTheCallerPassesNull() {
        jobs.withLease(null, lease -> {
            assertThat(lease).isSameAs(LeaseContext.current().lease());
            return true;
        });
    }

    @Test
    void aLeaseThatTheCallerPassesIsKept() {
        FakeLease ofTheCaller = new FakeLease();

        jobs.withLease(ofTheCaller, lease -> {
            assertThat(lease).isSameAs(ofTheCaller);
            return true;
        });
    }

    @Test
    void eachAttemptOfARetryAroundTheCallIsGivenItsOwnLease() {
        MethodInterceptor twice = invocation -> {
            invocation.proceed();
            assertThat(invocation.getArguments()[0]).isNull();
            return true;
        };
        ProxyFactory factory = new ProxyFactory(new Jobs());
        factory.setProxyTargetClass(true);
        factory.addAdvice(twice);
        factory.addAdvisor(beans.advisor);

        ((Jobs) factory.getProxy()).withLease(null, Lease::isValid);
    }

    @Test
    void assertHeldPassesUnderALeaseOnly() {
        jobs.run(LeaseAssert::assertHeld);

        assertThatIllegalStateException()
                .isThrownBy(() -> new Jobs().run(LeaseAssert::assertHeld))
                .withMessageContaining("was not called through its Spring proxy");
    }

    @Test
    void assertHeldFailsOnceTheLeaseIsLost() {
        FakeLease lease = new FakeLease();
        LeaseFrame frame = LeaseFrame.enter(new SharedLease(beans.own, lease, Lease::close), true);
        try {
            lease.lose(LeaseLossReason.TAKEN);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(LeaseAssert::assertHeld);
        } finally {
            frame.exit();
        }
    }

    static class Jobs {

        @DistributedLease("outer")
        public void run(Runnable body) {
            body.run();
        }

        @DistributedLease("nested")
        public void nested(Runnable body) {
            body.run();
        }

        @DistributedLease("parameter")
        public boolean withLease(@Nullable Lease lease, Predicate<Lease> body) {
            return body.test(lease);
        }
    }
}
