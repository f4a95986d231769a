package io.leasekit.test;

import java.lang.reflect.Method;
import java.util.Set;
import org.reactivestreams.Publisher;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Flux;

/**
 * A call of a {@code @Scheduled} method by a test. This class is separate from {@link TestLeases}, which must also load
 * without Spring.
 */
final class Firing {

    private final Object bean;
    private final Method method;

    Firing(Object bean, String name) {
        Class<?> type = AopUtils.getTargetClass(bean);
        Method declared = method(type, name);
        // Like Spring, this class ignores annotations of overridden methods.
        if (AnnotatedElementUtils.getMergedRepeatableAnnotations(declared, Scheduled.class, Schedules.class)
                .isEmpty()) {
            throw new IllegalArgumentException("Method '" + type.getName() + "." + name
                    + "' has no @Scheduled, expected a scheduled method; call other methods directly");
        }
        this.bean = bean;
        this.method = AopUtils.selectInvocableMethod(declared, bean.getClass());
    }

    private static Method method(Class<?> type, String name) {
        Set<Method> named = MethodIntrospector.selectMethods(
                type, (ReflectionUtils.MethodFilter) method -> method.getName().equals(name));
        return named.stream()
                .filter(method -> method.getParameterCount() == 0)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        named.stream().anyMatch(KotlinDetector::isSuspendingFunction)
                                ? "Method '" + type.getName() + "." + name
                                        + "' is a suspending function, which cannot be fired:"
                                        + " call it directly, and it runs under its lease, but for no slot"
                                : "Class " + type.getName() + " has no method '" + name + "' without parameters"));
    }

    void start() {
        io.leasekit.spring.schedule.Firing.byTest(AopUtils.getTargetClass(bean), method.getName())
                .run(this::call);
    }

    private void call() {
        ReflectionUtils.makeAccessible(method);
        Object result = ReflectionUtils.invokeMethod(method, bean);
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        if (adapter != null && adapter.getDescriptor().isDeferred()) {
            Publishers.await(adapter.toPublisher(result));
        }
    }

    /** A separate class, because Reactor may be absent from the class path. */
    private static final class Publishers {

        static void await(Publisher<?> publisher) {
            Flux.from(publisher).then().block();
        }
    }
}
