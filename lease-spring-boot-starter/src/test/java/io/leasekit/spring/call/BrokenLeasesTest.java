package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.LeasedBeans;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases that a manager of the application decorates, and results and keys of users' methods, that throw: no lease is leaked. */
@Timeout(60)
class BrokenLeasesTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Orders orders = beans.advise(new Orders());

    BrokenLeasesTest() {
        beans.beanFactory.registerSingleton("broken", decorated(LeaseManager.class, (proxy, method, arguments) -> {
            Object result = method.invoke(beans.own, arguments);
            return result instanceof Lease lease ? broken(lease) : result;
        }));
    }

    private String brokenMethod = "fencingToken";

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void theLeaseIsReleasedAndTheCallFails() {
        assertThatThrownBy(orders::ship).isInstanceOf(UnsupportedOperationException.class);

        assertReleased("order");
    }

    @Test
    void aLeaseWhoseValidityCannotBeAskedForIsReleased() {
        brokenMethod = "ensureValid";

        assertThatThrownBy(() -> orders.run(() -> {})).isInstanceOf(UnsupportedOperationException.class);

        assertReleased("order");
    }

    @Test
    void aStageThatTakesNoDependentFailsTheCall() {
        CompletionStage<Void> broken = new CompletableFuture<>() {
            @Override
            public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
                throw new UnsupportedOperationException("by design");
            }
        };

        assertThat(orders.later(broken).toCompletableFuture())
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(UnsupportedOperationException.class);

        assertReleased("later");
    }

    @Test
    void aNestedCallWhoseRunCannotBeNamedLeavesTheLease() {
        Orders inner = orders;
        Object unnamed = new Object() {
            @Override
            public String toString() {
                throw new StackOverflowError("by design");
            }
        };

        assertThatThrownBy(() -> orders.once("day", () -> inner.once(unnamed, () -> {})))
                .isInstanceOf(StackOverflowError.class);

        assertReleased("once");
    }

    private void assertReleased(String key) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> beans.own.held().isEmpty());
        assertThat(beans.isFree(key)).isTrue();
    }

    private Lease broken(Lease lease) {
        return decorated(Lease.class, (proxy, method, arguments) -> {
            if (method.getName().equals(brokenMethod)) {
                throw new UnsupportedOperationException("by design");
            }
            return method.invoke(lease, arguments);
        });
    }

    private static <T> T decorated(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    static class Orders {

        @DistributedLease(key = "order", manager = "broken")
        public void ship() {
            throw new AssertionError("not reached");
        }

        @DistributedLease(key = "order", manager = "broken")
        public void run(Runnable work) {
            work.run();
        }

        @DistributedLease(key = "later", manager = "leaseManager")
        public CompletionStage<Void> later(CompletionStage<Void> work) {
            return work;
        }

        @DistributedLease(
                key = "once",
                once = "#{'of ' + #day}",
                onceOrder = OnceOrder.GROWING,
                manager = "leaseManager")
        public void once(Object day, Runnable work) {
            work.run();
        }
    }
}
