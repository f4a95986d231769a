package io.leasekit.spring.schedule;

import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ReflectionUtils;
import reactor.core.Disposable;

/** Calls a bean's method once and subscribes at each firing, as Spring does for scheduled methods with publishers. */
public final class ReactiveFirings {

    private static final String SUPPORT =
            "org.springframework.scheduling.annotation.ScheduledAnnotationReactiveSupport";

    private final List<Runnable> subscriptions = new CopyOnWriteArrayList<>();
    private final Runnable firing;

    private ReactiveFirings(Object bean, String method) throws ReflectiveOperationException {
        Method found = bean.getClass().getSuperclass().getMethod(method);
        Method create = Class.forName(SUPPORT)
                .getMethod(
                        "createSubscriptionRunnable",
                        Method.class,
                        Object.class,
                        Scheduled.class,
                        Supplier.class,
                        List.class);
        ReflectionUtils.makeAccessible(create);
        Supplier<ObservationRegistry> registry = () -> ObservationRegistry.NOOP;
        firing = (Runnable)
                create.invoke(null, found, bean, found.getAnnotation(Scheduled.class), registry, subscriptions);
    }

    public static ReactiveFirings of(Object bean, String method) {
        try {
            return new ReactiveFirings(bean, method);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a proxy without advice, as the methods of such beans are found by their proxies. */
    public static Object proxy(Object bean) {
        ProxyFactory factory = new ProxyFactory(bean);
        factory.setProxyTargetClass(true);
        return factory.getProxy();
    }

    /** Fires as a test does, if the text of the task names the method. */
    public void fire() {
        CalledMethod called = CalledMethod.of(firing, getClass().getClassLoader());
        Firing.byTest(called.type(), called.name()).run(firing);
    }

    /** Returns the subscriptions that have not ended. */
    public List<Disposable> subscriptions() {
        return subscriptions.stream()
                .map(subscription -> (Disposable) subscription::run)
                .toList();
    }
}
