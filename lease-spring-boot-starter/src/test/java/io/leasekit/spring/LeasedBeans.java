package io.leasekit.spring;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Beans under the advice, their manager, and another process's manager on the same store. */
final class LeasedBeans implements AutoCloseable {

    final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
    final LeaseManager own;
    final LeaseManager other;
    final DistributedLeaseAdvisor advisor;

    LeasedBeans(LeaseStore store, DistributedLeaseSettings settings) {
        own = manager(store, "own");
        other = manager(store, "other");
        beanFactory.registerSingleton("leaseManager", own);
        advisor = new DistributedLeaseAdvisor(beanFactory, () -> settings);
    }

    LeasedBeans(LeaseStore store) {
        this(store, new DistributedLeaseSettings("", false));
    }

    @SuppressWarnings("unchecked")
    <T> T advise(T bean) {
        ProxyFactory factory = new ProxyFactory(bean);
        factory.setProxyTargetClass(true);
        factory.addAdvisor(advisor);
        return (T) factory.getProxy();
    }

    /** Returns whether another process could acquire the key just now. */
    boolean isFree(String key) {
        Optional<Lease> lease = other.tryAcquire(key);
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }

    static LeaseManager manager(LeaseStore store, String owner) {
        return LeaseManager.builder(store)
                .owner(owner)
                .storeTimeout(Duration.ofMillis(1))
                .build();
    }

    @Override
    public void close() {
        other.close();
        beanFactory.getBeansOfType(LeaseManager.class).values().forEach(LeaseManager::close);
    }
}
