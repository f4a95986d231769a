package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Methods of a bean through which Spring's container queries, configures, starts and stops the bean. Such methods
 * implement an interface of Spring, such as {@code Ordered}, {@code SmartLifecycle} or {@code HealthIndicator}. An
 * annotation on a class does not cover these methods.
 */
@Internal
public final class ContainerMethods {

    /**
     * Spring's interfaces for its container. Interfaces of Spring's other projects, such as listeners and repositories,
     * do work for the application.
     */
    private static final Predicate<String> CONTAINER = Pattern.compile("org\\.springframework\\.("
                    + "(aop|beans|boot|context|core|scheduling|transaction|validation)\\..*|.*(Configurer|Customizer))")
            .asMatchPredicate();

    /** Methods that the container calls to do work for the application: listeners of events and runners. */
    private static final Set<String> WORK = Set.of("onApplicationEvent", "run");

    private static final Set<String> ASKING =
            Set.of("org.springframework.core", "org.springframework.context", "org.springframework.context.event");

    private ContainerMethods() {}

    /**
     * Returns whether the method implements one of Spring's interfaces for its container and does no work for the
     * application.
     */
    public static boolean isOf(Method method, Class<?> type) {
        return !WORK.contains(method.getName())
                && interfaces(type)
                        .anyMatch(candidate -> CONTAINER.test(candidate.getName()) && declares(candidate, method));
    }

    /**
     * Returns whether the container may need this method at any time, even while another node holds a lease, for its
     * result or to stop the bean.
     */
    public static boolean isNeededAtAnyTime(Method method, Class<?> type) {
        return (method.getReturnType() != void.class || method.getName().equals("stop"))
                && !WORK.contains(method.getName())
                && interfaces(type)
                        .anyMatch(candidate ->
                                ASKING.contains(candidate.getPackageName()) && declares(candidate, method));
    }

    private static Stream<Class<?>> interfaces(Class<?> type) {
        Stream<Class<?>> above = Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                .flatMap(ContainerMethods::interfaces);
        return type.isInterface() ? Stream.concat(Stream.of(type), above) : above;
    }

    /**
     * Returns whether the interface declares the method. The interface's parameters may be type variables, so the
     * parameter types need not be equal.
     */
    private static boolean declares(Class<?> candidate, Method method) {
        return Stream.of(candidate.getDeclaredMethods())
                .anyMatch(declared -> declared.getName().equals(method.getName()) && isOverridden(declared, method));
    }

    private static boolean isOverridden(Method declared, Method method) {
        Class<?>[] wanted = declared.getParameterTypes();
        Class<?>[] given = method.getParameterTypes();
        boolean fits = wanted.length == given.length;
        for (int i = 0; fits && i < wanted.length; i++) {
            fits = wanted[i].isAssignableFrom(given[i]);
        }
        return fits;
    }
}
