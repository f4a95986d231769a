package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.LeasedBeans;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A manager of the application, around that of Leasekit, whose leases fail before a call has them. */
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

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void theLeaseIsReleasedAndTheCallFails() {
        assertThatThrownBy(orders::ship).isInstanceOf(UnsupportedOperationException.class);

        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> beans.own.held().isEmpty());
        assertThat(beans.isFree("order")).isTrue();
    }

    private static Lease broken(Lease lease) {
        return decorated(Lease.class, (proxy, method, arguments) -> {
            if (method.getName().equals("fencingToken")) {
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
    }
}
