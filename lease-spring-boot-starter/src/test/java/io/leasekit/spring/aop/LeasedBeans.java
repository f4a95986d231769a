package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.spring.check.StandIns;
import io.leasekit.store.LeaseStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import org.awaitility.Awaitility;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

/**
 * Beans under the advice, their manager, and the manager of another process on the same store, with real threads and in
 * real time. The test kit depends on this module, so its tests cannot use the kit; tests that need losses, failures of
 * the store, lost replies or virtual time are in {@code lease-test}.
 */
public final class LeasedBeans implements AutoCloseable {

    public final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
    public final LeaseManager own;
    public final LeaseManager other;
    public final DistributedLeaseAdvisor advisor;

    /** Holds the tasks of the advised beans, and starts none. */
    public final ScheduledAnnotationBeanPostProcessor scheduled = new ScheduledAnnotationBeanPostProcessor();

    public LeasedBeans(LeaseStore store, DistributedLeaseSettings settings) {
        own = manager(store, "own");
        other = manager(store, "other");
        beanFactory.registerSingleton("leaseManager", own);
        scheduled.setBeanFactory(beanFactory);
        scheduled.setScheduler(schedulerThatStartsNothing());
        scheduled.afterSingletonsInstantiated();
        beanFactory.registerSingleton("scheduledTasks", scheduled);
        advisor = new DistributedLeaseAdvisor(beanFactory, new StandIns(), () -> settings);
    }

    public LeasedBeans(LeaseStore store) {
        this(store, new DistributedLeaseSettings("", false));
    }

    @SuppressWarnings("unchecked")
    public <T> T advise(T bean) {
        ProxyFactory factory = new ProxyFactory(bean);
        factory.setProxyTargetClass(true);
        factory.addAdvisor(advisor);
        T proxy = (T) factory.getProxy();
        schedule(proxy);
        return proxy;
    }

    private void schedule(Object proxy) {
        try {
            scheduled.postProcessAfterInitialization(proxy, proxy.getClass().getName());
        } catch (IllegalStateException e) {
            // a method that Spring rejects, which the tests of refusals have
        }
    }

    private static TaskScheduler schedulerThatStartsNothing() {
        Object future = proxy(
                ScheduledFuture.class,
                (proxy, method, arguments) -> method.getName().equals("getDelay")
                        ? (Object) 1L
                        : method.getReturnType() == boolean.class ? (Object) false : null);
        return (TaskScheduler) proxy(
                TaskScheduler.class,
                (proxy, method, arguments) ->
                        method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments) : future);
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(LeasedBeans.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    /** Returns whether another process could acquire the key now. */
    public boolean isFree(String key) {
        return isFree(other, key);
    }

    /** Waits until another process could acquire the key. Calls wait for their releases, but only for some seconds. */
    public void awaitFree(String key) {
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> isFree(key));
    }

    /** Returns whether this manager could acquire the key now. */
    public static boolean isFree(LeaseManager manager, String key) {
        Optional<Lease> lease = manager.tryAcquire(key);
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }

    public static LeaseManager manager(LeaseStore store, String owner) {
        return LeaseManager.builder(store)
                .owner(owner)
                .storeTimeout(Duration.ofMinutes(10)) // a busy machine may run no thread for seconds
                .build();
    }

    @Override
    public void close() {
        other.close();
        beanFactory.getBeansOfType(LeaseManager.class).values().forEach(LeaseManager::close);
    }
}
