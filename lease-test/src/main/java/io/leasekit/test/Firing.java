package io.leasekit.test;

import java.lang.reflect.Method;
import java.util.Objects;
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
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Flux;

/** A call of a scheduled method; apart from {@link TestLeases}, which works without Spring. */
final class Firing {

    private final Object bean;
    private final Method method;

    Firing(Object bean, String name) {
        Class<?> type = AopUtils.getTargetClass(bean);
        Method declared = method(type, name);
        // as Spring looks for it: not on a method that this one overrides
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

    /** Calls the method under a frame by which the starter recognises a firing. */
    void start() {
        Method run = Objects.requireNonNull(ReflectionUtils.findMethod(Firing.class, "run"));
        new ScheduledMethodRunnable(this, run).run();
    }

    /** Called by {@link #start()}. Waits for the end of a publisher. */
    void run() {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        if (adapter != null && adapter.getDescriptor().isDeferred()) {
            Publishers.await(method, bean);
        } else {
            ReflectionUtils.makeAccessible(method);
            ReflectionUtils.invokeMethod(method, bean);
        }
    }

    /** Apart, because Reactor may be absent. */
    private static final class Publishers {

        private static final String SUPPORT =
                "org.springframework.scheduling.annotation.ScheduledAnnotationReactiveSupport";

        static void await(Method method, Object bean) {
            Flux.from(publisher(method, bean)).then().block();
        }

        /** Asks by the class with which Spring asks for publishers. The starter recognises a firing by it. */
        private static Publisher<?> publisher(Method method, Object bean) {
            Class<?> support = ClassUtils.resolveClassName(SUPPORT, Scheduled.class.getClassLoader());
            Method ask = Objects.requireNonNull(
                    ReflectionUtils.findMethod(support, "getPublisherFor", Method.class, Object.class));
            ReflectionUtils.makeAccessible(ask);
            return (Publisher<?>) Objects.requireNonNull(ReflectionUtils.invokeMethod(ask, null, method, bean));
        }
    }
}
